# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: drive memview in a terminal of tmux and look at its screen; sourced after tests/tap.sh.
#
#	view_start 80 24 FILE [ARG...]	starts memview in a terminal of that size
#	press f '\' Enter		sends keys, as tmux names them
#	shows 'REGEX' 'name'		passes when a line of the screen matches before the deadline
#	hides 'REGEX' 'name'		passes when no line does before the deadline
#	ends STATUS 'name'		passes when memview ends with that exit status
#
# $view_env holds VAR=VALUE words for memview's environment.  Nothing sleeps for a fixed time:
# all look again until it is there, at most $view_patience seconds.

view_socket=memview-test-$$-0
view_sockets=0
view_patience=${MEMTRACK_TEST_PATIENCE:-20}
view_env=
view_log=$work/demo.log

need tmux
[ -x "$memview" ] || skip_all "memview is not built"
memview=$(cd "$(dirname "$memview")" && pwd)/$(basename "$memview")
make_log=$top_srcdir/tests/memview/make_log.sh

in_tmux() { tmux -L "$view_socket" -f /dev/null "$@"; }

# A server of its own for each terminal: the one before may still be on its way out.
view_stop()
{
	in_tmux kill-server 2>/dev/null
	view_sockets=$((view_sockets + 1))
	view_socket=memview-test-$$-$view_sockets
}
trap 'in_tmux kill-server 2>/dev/null; tap_cleanup' EXIT

# view_run COLUMNS ROWS COMMAND: any shell command in the terminal.
view_run()
{
	view_stop
	rm -f "$work/status"
	printf '%s\necho $? >"%s/status.new"; mv "%s/status.new" "%s/status"; exec cat\n' \
		"$3" "$work" "$work" "$work" >"$work/run"
	in_tmux new-session -d -x "$1" -y "$2" "exec sh '$work/run'"
}

view_start()
{
	view_columns=$1 view_rows=$2
	shift 2
	view_words=
	for view_word; do
		view_words="$view_words '$view_word'"
	done
	view_run "$view_columns" "$view_rows" "env $view_env '$memview' $view_words 2>'$work/stderr'"
}

press()
{
	for view_key; do
		in_tmux send-keys -t 0 -- "$view_key"
	done
}

# type_text TEXT: as it is, no key names.
type_text() { in_tmux send-keys -t 0 -l -- "$1"; }

screen() { in_tmux capture-pane -p -t 0; }
screen_with_colours() { in_tmux capture-pane -p -e -t 0; }

# view_wait COMMAND...: until it succeeds or patience ends.
view_wait()
{
	view_end=$(($(date +%s) + view_patience))
	until "$@"; do
		[ "$(date +%s)" -lt $view_end ] || return 1
		sleep 0.05
	done
}

view_matches() { screen | grep -Eq -e "$1"; }
view_lacks() { ! screen | grep -Eq -e "$1"; }
view_ended() { [ -f "$work/status" ]; }

shows()
{
	if view_wait view_matches "$1"; then
		ok "$2"
	else
		not_ok "$2" "no line matches '$1' in:
$(screen)"
	fi
}

hides()
{
	if view_wait view_lacks "$1"; then
		ok "$2"
	else
		not_ok "$2" "a line still matches '$1' in:
$(screen)"
	fi
}

ends()
{
	if view_wait view_ended; then
		is "$(cat "$work/status")" "$1" "$2"
	else
		not_ok "$2" "memview still runs:
$(screen)"
	fi
}
