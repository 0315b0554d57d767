#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what the C and C++ runtime keep for themselves is told apart from leaks.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" runtime >"$view_log"
view_env="TERM=xterm-256color"
for columns in 80 60; do
	view_start $columns 24 "$view_log"
	shows '5 allocs .*5 shown' "$columns columns: all are shown"
	shows 'Leaks: 1 \(100 B\) .*\+3 \[R\]' "$columns columns: the header counts them apart"
	press q
done
view_start 130 30 "$view_log"
shows 'Leaks: 1 \(100 B\) .*\+3 of the runtime' "in words where there is room"
shows '^\[R\] 0x3000 ' "the list is there"
shows '^demo ' "the screen is whole"
is "$(screen | grep -c '^\[R\]')" 3 "three are marked [R]"
is "$(screen | grep -c '^\[L\]')" 1 "one is a leak"
unlike "$(styles_of '^.R]')" 'front 196' "only leaks are red"
like "$(styles_of '^.L]')" 'front 196' "as leaks are"
shows "Not freed: the runtime's own" "the detail pane says it"
shows 'runtime keeps it for itself' "and what it means"
press j j j
shows 'NOT FREED: leaked' "a leak is one"
press '\'
shows ' 5 groups' "groups of all"
shows '^R +×1 +71\.0 KiB' "those of the runtime are marked"
press f
shows ' 1 group' "only one leaks"
press '\'
shows ' 1 shown' "and one record"
press / pars Enter
shows 'no allocations pass' "a search within"
press / BSpace Enter f f f W
type_text "$work/rows.txt"
press Enter
shows '5 records written' "the rows are written"
is "$(grep -c '^\[R\]' "$work/rows.txt") $(grep -c '^\[L\]' "$work/rows.txt")" "3 1" "with the same marks"
press '?' NPage NPage NPage
shows '^ \[R\] +not freed, but the C or C\+\+ runtime' "the help explains [R]"
press q q
ends 0 "it ends"

"$memview" --report "$view_log" >"$work/report"
like "$(cat "$work/report")" "runtime +3 " "the report counts them apart"
done_testing
