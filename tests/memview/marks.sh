#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the marks of the header, the timeline and the list, with their colours.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"

# style_at ROW COLUMN: the style of a cell (both from 0), empty when plain.
style_at()
{
	screen_with_styles | awk -v row="$1" -v column="$2" '
		!/^ ~/ { here++; next }
		here == row + 1 { split(substr($1, 2), range, "-")
			if (range[1] <= column && column <= range[2]) print }' | sed 's/^ ~[0-9-]* *//'
}
# where CHARACTER ROW: its column in a row of the screen.
where() { screen | sed -n "$(($2 + 1))p" | sed "s/[$1].*//" | tr -d '\n' | wc -m; }

# green MEANS FRONT..: the colours of 256 and of 8.
for type in xterm-256color:77:220:203:136:196:207:226 xterm:2:3:1:3:1:5:3; do
	IFS=: read -r name young middle old freed leak marker base <<COLOURS
$type
COLOURS
	view_env="TERM=$name"
	view_start 120 30 "$view_log"
	shows '106 shown' "$name: a finished trace"
	like "$(styles_of '^.L] 0x100400 ' | head -n 1)" "^ ~0-.* bold.* front $leak\$" "$name: leaks are red and bold"
	like "$(styles_of '^.F] 0x2000000 ' | head -n 1)" "^ ~0-.* front $freed\$" "$name: what was freed is dim yellow"
	like "$(style_at 2 1)" "front $young\$" "$name: the timeline begins green"
	press g j m
	shows '▶ DELTA since 0\.800ms' "$name: delta"
	column=$(where '|' 2)
	like "$(style_at 2 "$column")" "front $base\$" "$name: its start is a yellow bar on the timeline"
	press m g M
	shows 'marker M1' "$name: a marker"
	press f
	hides 'marker M1' "$name: (its message is gone)"
	like "$(style_at 2 "$(where 1 2)")" "bold.* front $marker\$" "$name: it is magenta on the timeline"
	press f f f
	press g NPage '['
	shows '│ \[ ' "$name: one end of a range"
	ok "$name: is on the timeline" [ "$(where '[' 2)" -gt 0 ]
	press NPage ']'
	shows '▶◀ RANGE' "$name: both"
	ok "$name: are" [ "$(where ']' 2)" -gt "$(where '[' 2)" ]
	press q
	ends 0 "$name: it ends"

	# Live ones by their age: the log without its end.
	grep -v EXIT "$view_log" >"$work/growing.log"
	view_start 120 60 -f "$work/growing.log"
	shows '● LIVE .* 106 shown' "$name: a live trace"
	press g
	shows '^\[A\] 0x1000 ' "$name: its start"
	like "$(styles_of '^.A] 0x100400 ' | head -n 1)" "^ ~0-.* bold.* front $old\$" "$name: old and live: red and bold"
	press G
	shows '^\[A\] 0x10c400 ' "$name: its end"
	like "$(styles_of '^.A] 0x10c000 ' | head -n 1)" "^ ~0-[0-9]* front $young\$" "$name: young and live: green"
	press PPage k
	shows '^\[A\] 0x107400 ' "$name: its middle"
	like "$(styles_of '^.A] 0x107400 ' | head -n 1)" "^ ~0-[0-9]* front $middle\$" "$name: yellow"
	press q
	ends 0 "$name: it ends"
done
view_env=

view_start 120 30 "$view_log"
shows '106 shown' "a finished trace"
press t
shows '^ worker-[12] +[▁▂]' "the timeline of one thread has its name"
press T
hides '^ worker-[12] +[▁▂]' "that of all has none"
press Tab Tab s s
shows 'Sort: Net' "threads by net"
press s
shows 'Sort: Leaks' "and by leaks"
press s s
shows 'Sort: TID ▲' "TID goes up"
press S
shows 'Sort: TID ▼' "or down"
press h h

# Ends of a range snap to a marker near by.
press g j j j j M
shows 'marker M1 at 1\.800ms' "a marker"
press j '['
shows '│ \[ 1\.800ms' "the start snaps to the marker before"
press G M
shows 'marker M2' "another"
press k ']'
shows '▶◀ RANGE' "the end"
shows 'RANGE 1\.800ms.*47\.310ms' "snaps to the marker behind"
press R M M M M M M M
press g D
shows 'marker M1 deleted' "the nearest marker goes"
press M
shows 'marker M1 at' "and its number is used again"
press q
ends 0 "it ends"
done_testing
