#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memview at any size of the terminal, and while it changes.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"
for size in 60x15 80x24 132x43 200x60 500x200; do
	view_start "${size%x*}" "${size#*x}" "$view_log"
	shows '106 shown' "$size: the list is there"
	shows '^worker-1 ' "$size: so are the threads"
	shows '\? help +q quit' "$size: and the keys"
	press f '\'
	shows '×50' "$size: groups"
	press Tab
	shows 'Call site' "$size: detail"
	press H H '?' x Tab G g q
	ends 0 "$size: it ends well"
done

view_start 59 15 "$view_log"
shows '59x15 is too small: 60x15 needed' "K102 a terminal that is too narrow is told so"
press j f '\' Enter H
resize 80 24
shows 'Filter: Leaks' "K102 it recovers when it grows"
resize 80 14
shows '80x14 is too small' "K102 one that is too low too"
resize 20 3
shows 'too small' "K102 a tiny one"
resize 1 1
resize 100 30
shows 'Filter: Leaks' "K102 and it recovers again"

round=0
while [ $((round += 1)) -le 40 ]; do
	resize $((20 + round * 37 % 180)) $((2 + round * 17 % 60))
	press j
done
resize 90 25
shows 'Filter: Leaks' "K103 a storm of resizes"
shows '^[─┬]{90}$' "K103 leaves the right layout, of the right width"
like "$(screen | sed -n 4p)" '^─+┬─+$' "K103 in the right place"
faultless "all it sent was understood"
press q
ends 0 "and ends well"

# While a stream comes in: no event may be lost, nor the last size.
mkfifo "$work/fifo"
sh "$make_log" demo 3000 >"$work/many.log"
view_run 120 30 "'$memview' -f - <'$work/fifo' 2>'$work/stderr'"
cat "$work/many.log" >"$work/fifo" &
writer=$!
round=0
while [ $((round += 1)) -le 60 ]; do
	resize $((60 + round * 37 % 180)) $((15 + round * 17 % 60))
	press j
done
resize 100 30
shows 'DONE .* 6\.3k allocs|DONE .* 6,301 allocs' "K103 a storm of resizes loses nothing of a stream"
wait $writer
is "$(screen | sed -n 4p | tr -d '\n' | wc -m)" 100 "K103 and leaves the last size"
press q
ends 0 "it ends"

view_start 1000 400 "$view_log"
shows '106 shown' "K111 1000x400"
press H H '?' x v v W C-g G
shows '\? help' "K111 is no trouble"
press q
ends 0 "and ends well"

# Nothing in it.
sed -n 's/ malloc .*//p; /EXIT/p' "$view_log" | grep EXIT >"$work/empty.log"
view_start 80 24 "$work/empty.log"
shows 'no allocations in this trace' "K105 an empty list says so"
press j k G g NPage PPage Home End Enter m M D '[' ']' R '\' j k G g Enter t T s S 1 2 3 H H L Tab j k Tab j k G Tab
mouse click 5 6
mouse double 5 20
mouse down 5 6
shows 'DONE' "K105 moving in it is harmless"
press q
ends 0 "it ends"
done_testing
