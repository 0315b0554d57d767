#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: every view at five sizes of the terminal, as pictures; and its colours.
#
# MEMTRACK_RENEW=1 make check TESTS=tests/memview/views.sh	after a change that is meant:
# then look at the differences of tests/memview/screens.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"
sh "$make_log" wrong >"$work/wrong.log"
cd "$work" || exit 1

# The frame: rules of the whole width, the key line (or a message) at the bottom; some views take
# the room of the detail pane.
framed()
{
	frame='┬ ┴'
	case $3 in *flame-graph | *threads | *summary) frame='─ ─';; esac
	screen >"$work/frame"
	is "$(wc -l <"$work/frame")" "$2" "$3: all rows"
	is "$(sed -n 4p "$work/frame" | tr -d '\n' | wc -m) $(grep -xE '─+[┬┴]?─+' "$work/frame" | sed 's/─*\([─┬┴]\)─*/\1/' | paste -sd' ' -)" \
		"$1 $frame" "$3: the frame is whole"
}

# next_view NAME: the view after that one; its name is in $name.
next_view()
{
	press v
	view_sees shows '^view: ' && view_sees lacks "^view: $(printf %s "$1" | tr - ' ')(   |\$)"
	name=$(view_name)
}
view_name() { screen | sed -n '$s/^view: //p' | sed 's/   .*//' | tr ' ' '-'; }

for size in 60x15 80x24 120x40 200x60 500x200; do
	columns=${size%x*} rows=${size#*x}
	view_start "$columns" "$rows" demo.log
	shows '106 shown' "$size: it opens"
	shows '4\.0 KiB \(thread\)|Detail  1-' "$size: the detail is there"
	pictured "records-$size" "$size: records"
	framed "$columns" "$rows" "$size"
	press G
	shows 'Op      : new' "$size: the end of it"
	pictured "records-end-$size" "$size: the last record"
	press g
	next_view records
	views=0
	while [ "$name" ] && [ "$name" != records ] && [ $views -lt 12 ]; do
		views=$((views + 1))
		pictured "$name-$size" "$size: $name"
		framed "$columns" "$rows" "$size, $name"
		press C-l j k G g Tab Tab Tab
		hides '^view: ' "$size: keys work in $name"
		next_view "$name"
	done
	is "$name" records "$size: all views were there"
	press H
	shows '<=1 KiB ' "$size: sizes"
	pictured "sizes-$size" "$size: the histogram"
	press H '?'
	shows 'memview: keys' "$size: help"
	pictured "help-$size" "$size: the help"
	press q q
	ends 0 "$size: it ends"
	is "$(view_state faults)" 0 "$size: all it sent was understood" || diag "$view_answer"

	# A view that is only there when there is something to see.
	view_start "$columns" "$rows" wrong.log
	shows '2 findings' "$size: findings"
	name=records
	for each in 1 2 3 4 5 6 7 8 9; do
		[ "$name" = findings ] || next_view "$name"
	done
	pictured "findings-$size" "$size: the findings"
	framed "$columns" "$rows" "$size, findings"
	press q
	ends 0 "$size: it ends"
done

# Colours: the same at 80x24 in 256, in 8 and in none.
for type in xterm-256color xterm vt100; do
	view_env="TERM=$type"
	view_start 80 24 demo.log
	shows '106 shown' "$type: it opens"
	pictured "styles-$type" "$type: its colours" styles
	press f '\'
	shows ' 2 groups' "$type: groups"
	press M Z
	pictured "styles-groups-$type" "$type: colours of groups" styles
	press q
	ends 0 "$type: it ends"
	is "$(view_state faults)" 0 "$type: all it sent was understood" || diag "$view_answer"
done
view_env="TERM=xterm-256color NO_COLOR=1"
view_start 80 24 demo.log
shows '106 shown' "NO_COLOR: it opens"
pictured "styles-no-color" "NO_COLOR: none" styles
press q
view_env="LC_ALL=C"
view_start 80 24 demo.log
shows '106 shown' "C locale: it opens"
pictured "ascii" "C locale: ASCII only"
press q
ends 0 "it ends"
done_testing
