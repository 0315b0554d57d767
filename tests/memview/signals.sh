#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: however memview ends, the terminal is as it was.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"

# begin: memview in a terminal whose modes are noted before and after.
begin()
{
	rm -f "$work/before" "$work/after" "$work/pid"
	view_run 80 24 "echo A line of the shell
stty -a >'$work/before'
sh -c 'echo \$\$ >\"$work/pid\"; exec \"$memview\" \"$view_log\"'
code=\$?
stty -a >'$work/after'
(exit \$code)"
	shows '106 shown' "$1: it runs"
	pid=$(cat "$work/pid")
}

sane()
{
	is "$(cat "$work/after")" "$(cat "$work/before")" "$1: the modes are as they were"
	shows 'A line of the shell' "$1: so is the screen"
	is "$(view_state cursor) $(view_state alternate) $(view_state mouse)" "1 0 0" "$1: the cursor is visible, the mouse the terminal's"
}

# Every signal that would end it and can be caught, but SIGPIPE, which it ignores.
for number in $(seq 1 8) $(seq 10 12) $(seq 14 16) $(seq 24 27) $(seq 29 31) 34 64; do
	begin "signal $number"
	kill -$number "$pid"
	ends $((128 + number)) "K109 signal $number: the shell sees it"
	sane "K109 signal $number"
done
begin q
press q
ends 0 "q: exit status 0"
sane q

# Keys that waited while it had other work: Esc and a key are not Alt with that key.
is_stopped() { grep -q '^[0-9]* (.*) T' "/proc/$pid/stat"; }
begin waiting
press /
shows 'Search:' "waiting: a question is open"
kill -s STOP "$pid"
ok "waiting: it is busy with something else" view_wait is_stopped
type_text "$(printf '\033q')"
sleep 0.1 # longer than a person would need
kill -s CONT "$pid"
ends 0 "waiting: Esc leaves the question, q quits"
sane waiting

# The window is closed.
begin close
view_stop
gone() { ! kill -0 "$pid" 2>/dev/null; }
ok "K109 a closed window ends it" view_wait gone

# Job control, in an interactive shell.
if command -v bash >/dev/null; then
	view_terminal 80 24 env PS1='ready> ' bash --norc --noprofile -i
	shows 'ready>' "a shell with job control"
	type_text "'$memview' '$view_log'"
	press Enter
	shows '106 shown' "memview runs in it"
	press C-z
	shows 'Stopped' "K108 Ctrl-Z gives the terminal back"
	type_text "echo still-\$((40 + 2))"
	press Enter
	shows 'still-42' "K108 the shell works and echoes"
	is "$(view_state cursor) $(view_state alternate) $(view_state mouse)" "1 0 0" "K108 has the cursor and the mouse"
	type_text "fg"
	press Enter
	shows '106 shown' "K108 fg draws it again"
	is "$(view_state cursor) $(view_state alternate) $(view_state mouse)" "0 1 1" "K108 and takes them back"
	press f
	shows 'Filter: Leaks' "keys work"
	press C-z
	shows 'Stopped' "a second time"
	resize 100 30
	press f g Enter
	shows '51 shown' "it comes back in a window of another size"
	is "$(screen | sed -n 4p | tr -d '\n' | wc -m)" 100 "and takes it over"
	press q
	shows 'ready> *$' "q ends it"
	faultless "K108 nothing was sent that changes the palette"
else
	skip "job control" "bash is not installed"
fi
done_testing
