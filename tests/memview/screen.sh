# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: drive memview in a terminal in memory (terminal.c) and look at its screen; sourced after
# tests/tap.sh.
#
#	view_start 80 24 FILE [ARG...]	starts memview in a terminal of that size
#	press f '\' Enter		sends keys: names of terminal_keys.c, else what is typed
#	mouse click 10 5		the mouse at a column and a row (from 0), if it is listened to
#	resize 100 30			the terminal's window
#	shows 'REGEX' 'name'		passes when a line of the screen matches before the deadline
#	hides 'REGEX' 'name'		passes when no line does before the deadline
#	pictured NAME 'name'		passes when the screen becomes that of screens/NAME (colours,
#					too, when that has them); MEMTRACK_RENEW=1 writes it instead
#	ends STATUS 'name'		passes when memview ends with that exit status
#	faultless 'name'		passes when all it sent was understood
#
# $view_env holds VAR=VALUE words for memview's environment.  Nothing sleeps for the screen: the
# terminal looks whenever there was output, at most $view_patience seconds.

view_patience=${MEMTRACK_TEST_PATIENCE:-20}
view_env=
view_log=$work/demo.log
view_runs=0
view_open=
view_pictures=$top_srcdir/tests/memview/screens
export XDG_CONFIG_HOME="$work/.config"	# never the user's own

[ -x "$memview" ] || skip_all "memview is not built"
memview=$(cd "$(dirname "$memview")" && pwd)/$(basename "$memview")
make_log=$top_srcdir/tests/memview/make_log.sh

# tell WORDS...: a command without an answer.  ask WORDS...: its answer is in $view_answer.
tell() { printf '%s\n' "$*" >&8; }
ask()
{
	view_answer=
	tell "$*"
	read -r view_answer <&9
}

view_stop()
{
	[ "$view_open" ] || return 0
	tell quit
	exec 8>&- 9<&-
	view_open=
}
trap 'view_stop; tap_cleanup' EXIT

# view_terminal COLUMNS ROWS COMMAND [ARGUMENT...]: any program in a new terminal.
view_terminal()
{
	view_stop
	view_runs=$((view_runs + 1))
	view_pipe=$work/terminal.$view_runs
	mkfifo "$view_pipe.in" "$view_pipe.out"
	TERM=xterm-256color "$testbin/memview/terminal" "$@" <"$view_pipe.in" >"$view_pipe.out" &
	exec 8>"$view_pipe.in" 9<"$view_pipe.out"
	rm -f "$view_pipe.in" "$view_pipe.out"
	view_open=1
}

# view_run COLUMNS ROWS COMMAND: any shell command in the terminal.
view_run()
{
	printf '%s\n(exit $?)\n' "$3" >"$work/run"
	view_terminal "$1" "$2" sh "$work/run"
}

view_start()
{
	view_columns=$1 view_rows=$2
	shift 2
	view_words=
	for view_word; do
		view_words="$view_words '$view_word'"
	done
	view_run "$view_columns" "$view_rows" "exec env $view_env '$memview' $view_words 2>'$work/stderr'"
}

press() { tell "press $*"; }
resize() { tell "resize $1 $2"; }
mouse() { ask "mouse $*"; }

# type_text TEXT: as it is, no key names.
type_text() { tell "text $1"; }

screen()
{
	ask "print $work/screen"
	cat "$work/screen"
}

# For each row its text, and a line ` ~FROM-TO STYLE' for all that is not plain.
screen_with_styles()
{
	ask "styles $work/screen"
	cat "$work/screen"
}

# styles_of REGEX: the styles of the rows that match (a prefix, as awk knows it).
styles_of()
{
	screen_with_styles | awk -v want="$1" '!/^ ~/ { here = $0 ~ want } here && /^ ~/'
}

# view_state NAME: one of cursor, alternate, mouse, edges, faults, title.
view_state()
{
	ask state
	printf '%s\n' "$view_answer" | sed -n "s/.*$1=\([^ ]*\).*/\1/p"
}

# view_wait COMMAND...: until it succeeds or patience ends; for what is not on the screen.
view_wait()
{
	view_end=$(($(date +%s) + view_patience))
	until "$@"; do
		[ "$(date +%s)" -lt $view_end ] || return 1
		sleep 0.02
	done
}

# view_sees shows|lacks REGEX
view_sees()
{
	ask "$1 $((view_patience * 1000)) $2"
	[ "$view_answer" = yes ]
}

shows()
{
	if view_sees shows "$1"; then
		ok "$2"
	else
		not_ok "$2" "no line matches '$1' in:
$(screen)"
	fi
}

hides()
{
	if view_sees lacks "$1"; then
		ok "$2"
	else
		not_ok "$2" "a line still matches '$1' in:
$(screen)"
	fi
}

pictured()
{
	if [ "${MEMTRACK_RENEW:-}" ]; then
		ask "rests 20000"
		ask "${3:-print} $view_pictures/$1"
		ok "$2"
		return
	fi
	ask "equals $((view_patience * 1000)) $view_pictures/$1"
	if [ "$view_answer" = yes ]; then
		ok "$2"
	else
		ask "${3:-print} $work/screen"
		not_ok "$2" "$(diff "$view_pictures/$1" "$work/screen" | head -n 30)"
	fi
}

ends()
{
	ask "ended $((view_patience * 1000))"
	if [ "$view_answer" != no ]; then
		is "$view_answer" "$1" "$2"
	else
		not_ok "$2" "memview still runs:
$(screen)"
	fi
}

faultless() { is "$(view_state faults)" 0 "$1" || diag "$view_answer"; }
