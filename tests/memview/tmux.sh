#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a second opinion: the same keys give the same screens in tmux as in the terminal in memory.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"
need tmux

sh "$make_log" demo 50 >"$view_log"
sh "$make_log" hostile >"$work/hostile.log"
socket=memview-test-$$
in_tmux() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'in_tmux kill-server 2>/dev/null; view_stop; tap_cleanup' EXIT

# The screen of tmux becomes the same, or it does not within the time.
same()
{
	in_tmux capture-pane -p -t 0 | sed 's/ *$//' >"$work/tmux"
	screen | cmp -s - "$work/tmux"
}

# both COLUMNS ROWS FILE
both()
{
	view_env="TERM=screen"
	view_start "$1" "$2" "$3"
	in_tmux kill-server 2>/dev/null
	# The server before may still be on its way out.
	socket=$socket-
	in_tmux new-session -d -x "$1" -y "$2" "exec env TERM=screen '$memview' '$3'"
}

# keys KEY...: to both, then they are compared.
keys()
{
	press "$@"
	in_tmux send-keys -t 0 "$@"
	ask "rests 20000"
	ok "$name: $*" view_wait same || diag "$(screen | diff - "$work/tmux" | head -n 20)"
}

for name in demo hostile; do
	both 100 30 "$work/$name.log"
	shows 'DONE' "$name: it opens"
	keys C-l
	keys G
	keys '\'
	keys j Tab
	keys '?'
	keys x H
	keys H Z L
	keys f f Tab
	resize 60 15
	in_tmux resize-window -t 0 -x 60 -y 15
	keys j
	resize 131 41
	in_tmux resize-window -t 0 -x 131 -y 41
	keys k
	press q
	ends 0 "$name: it ends"
done
done_testing
