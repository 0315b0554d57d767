#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: kinds of terminals, locales and the environment.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"
has_colour() { screen_with_styles | grep -q '^ ~.* front'; }
try()
{
	view_start 80 24 "$view_log"
	shows '106 shown' "$view_env: it shows the trace"
}

view_env="TERM=xterm-256color"
try
ok "256 colours are used" has_colour
view_env="TERM=xterm"
try
ok "8 colours are used" has_colour
view_env="TERM=xterm-256color NO_COLOR=1"
try
not_has_colour() { ! has_colour; }
ok "NO_COLOR: none are used" not_has_colour
screen_with_styles | grep -q '^ ~.* reverse'
is $? 0 "K107 the selection is in reverse video"
view_env="TERM=vt100"
try
ok "vt100: none are used" not_has_colour
press f '\' Tab q
ends 0 "K107 vt100: it works"
shows '^worker-1 ' "vt100: the picture stays"
hides 'q quit' "but the line the shell writes on is empty"
view_env="TERM=xterm"
try
press q
hides '^worker-1 ' "xterm: the shell's screen comes back"
for term in screen screen-256color tmux tmux-256color linux ansi vt220 rxvt; do
	view_env="TERM=$term"
	infocmp "$term" >/dev/null 2>&1 || { skip "TERM=$term" "there is no such terminfo entry"; continue; }
	try
	press j G g f f f f '\' Tab Up Down Left '?' x H H v v C-l Z Z f
	shows 'Filter: Leaks' "TERM=$term: keys work"
	resize 60 15
	shows '^worker-1 ' "TERM=$term: and sizes"
	press q
	ends 0 "TERM=$term: it ends"
	faultless "TERM=$term: all it sent was understood"
done

view_env="LC_ALL=C"
try
shows '^ x DONE \|' "K106 C locale: marks have stand-ins"
shows '^-+\+-+$' "K106 and so have lines"
is "$(screen | LC_ALL=C tr -d '\000-\177' | wc -c)" 0 "K106 nothing but ASCII is drawn"
press q

view_env="LINES=5 COLUMNS=10"
try
shows 'q quit' "K104 LINES and COLUMNS in the environment are ignored"
press q

view_env=
view_run 80 24 "stty rows 0 cols 0; exec '$memview' '$view_log'"
shows 'q quit' "K104 a window without a size is taken for 80x24"
press q
view_start 80 24 "$view_log"
shows '106 shown' "flow control"
press C-s f
shows 'Filter: Leaks' "Ctrl-s does not stop the screen"
press q
ends 0 "it ends"

view_env="TERM=dumb"
view_start 80 24 "$view_log"
ends 2 "K107 TERM=dumb is refused"
like "$(cat "$work/stderr")" '^memview: .*dumb.*--report' "K107 with a hint"
view_env="TERM=no-such-terminal"
view_start 80 24 "$view_log"
ends 2 "K107 an unknown TERM is refused"
like "$(cat "$work/stderr")" '^memview: .*no-such-terminal.*unknown.*TERM' "K107 with a hint"
view_env="-u TERM"
view_start 80 24 "$view_log"
ends 2 "K107 no TERM is refused"
is "$(wc -l <"$work/stderr")" 1 "in one line"
like "$(cat "$work/stderr")" '^memview: TERM is not set.*--report' "K107 which says so"
view_env="TERM="
view_start 80 24 "$view_log"
ends 2 "an empty TERM is refused"
like "$(cat "$work/stderr")" '^memview: TERM is not set' "as if it were not set"

"$memview" "$view_log" >"$work/out" 2>"$work/err"
is $? 2 "K110 not a terminal: exit status 2"
like "$(cat "$work/err")" '^memview: .*not a terminal.*--report' "K110 it tells of --report"
is "$(wc -c <"$work/out")" 0 "K110 and writes no escape codes"

view_env=
view_start 80 24 "$view_log"
shows '106 shown' "K110 keys do not need standard input"
press q
view_run 80 24 "'$memview' '$view_log' </dev/null"
shows '106 shown' "with /dev/null as standard input"
press f
shows 'Filter: Leaks' "they come from the terminal"
press q
ends 0 "and it ends"
done_testing
