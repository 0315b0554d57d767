#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: one figure is the same wherever it stands: header, thread pane, views, summary, both reports.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

# Figures are of heap blocks; mappings are beside, with a word that says so.
sh "$make_log" mapped >"$work/mapped.log"
view_start 160 40 "$work/mapped.log"
shows '6 allocs \+4 mmap .*10 shown' "header: blocks, and mappings beside"
shows 'Leaks: 4 \(3\.4 KiB\) \+2 mmap \(512\.0 KiB\)' "header: leaks of both"
shows 'max 776\.8 KiB \+mmap' "timeline: says that both are in it"
shows '^Thread .* Allocated +Freed +Net +Mmap +Leaks' "thread pane: mappings have a column"
shows '^worker +11 +6\.8 KiB +4\.9 KiB +2\.0 KiB +768\.0 KiB +1 \(2\.0 KiB\) \+1 mmap' "thread pane: worker"
shows '^main +10 +2\.0 KiB +500 B +1\.5 KiB +256\.0 KiB +3 \(1\.5 KiB\) \+1 mmap' "thread pane: main"
press H
shows ' of all shown \+mmap' "histogram: says that both are in it"
press H v v
shows 'Cost: allocated \+mmap' "trees: say that both are in the sums"
press v v v
shows '^view: threads' "the view of threads"
shows '^Thread .* Allocated +Freed +Net +Leaked +Peak +Mmap +Mmap net +Count' "threads: mappings have columns"
shows '^worker +11 +6\.8 KiB +4\.9 KiB +2\.0 KiB +2\.0 KiB +6\.8 KiB +768\.0 KiB +256\.0 KiB +2 ' "threads: worker as in the pane"
shows '^main +10 +2\.0 KiB +500 B +1\.5 KiB +1\.5 KiB +2\.0 KiB +256\.0 KiB +256\.0 KiB +4 ' "threads: main as in the pane"
press f
shows '^worker +11 +2\.0 KiB +0 B +2\.0 KiB +2\.0 KiB +2\.0 KiB +256\.0 KiB +256\.0 KiB +1 ' "threads: leaks by the same rule"
press V V V V V
shows ' 6 shown' "the list of leaks has those of both"
press v v v v v Tab
shows 'Mmap leak *: 1 \(256\.0 KiB\)' "detail: mappings by themselves"
press v v
shows '^view: summary' "the summary"
shows '6 allocations, 515\.4 KiB, of these 2 mmap, 512\.0 KiB' "summary: what is shown of both"
shows '^  leaked +4 blocks +3\.4 KiB' "summary: leaks as in the header"
press q
ends 0 "it ends"

"$memview" --report "$work/mapped.log" >"$work/report"
report=$(tr -s ' \n' ' ' <"$work/report")
like "$report" " allocated 6 blocks 8\.8 KiB freed 2 blocks 5\.4 KiB peak 6 blocks 8\.8 KiB .* leaked 4 blocks 3\.4 KiB" "report: blocks"
like "$report" " mmap 4 mappings by the program itself, 1\.0 MiB in all, 768\.0 KiB at their peak; 2 \(512\.0 KiB\) still mapped" \
	"report: mappings"
like "$report" "512\.0 KiB in 2 mappings" "report: a call site of mappings says so"
like "$report" " worker 11 2 6\.8 KiB 2\.0 KiB 2\.0 KiB 768\.0 KiB main 10 4 2\.0 KiB 1\.5 KiB 1\.5 KiB 256\.0 KiB" "report: threads as in the pane"
"$memview" --report --json "$work/mapped.log" >"$work/json"
like "$(cat "$work/json")" '"blocks":\{"allocated":\{"count":6,"bytes":9000\},"freed":\{"count":2,"bytes":5500\},"peak":\{"count":6,"bytes":9000\},"live":\{"count":4,"bytes":3500\},"leaked":\{"count":4,"bytes":3500\}' \
	"json: blocks"
like "$(cat "$work/json")" '"mappings":\{"allocated":\{"count":4,"bytes":1048576\},"freed":\{"count":2,"bytes":524288\},"peak":\{"count":3,"bytes":786432\},"live":\{"count":2,"bytes":524288\},"leaked":\{"count":2,"bytes":524288\}\}' \
	"json: mappings"
for columns in 80 60; do
	view_start $columns 24 "$work/mapped.log"
	shows '4 \(3\.4 KiB\) \+2 mmap' "$columns columns: leaks of both in the header"
	shows '^worker +11 .* 1 \(?2\.0 KiB\)?( \+1 mmap)?$' "$columns columns: the thread pane cuts nothing in the middle"
	press q
done

# Large numbers are written in one way.
sh "$make_log" crowd >"$work/crowd.log"
"$memview" --report "$work/crowd.log" >"$work/report"
like "$(cat "$work/report")" '^Threads \(1,200\)' "report: threads"
like "$(cat "$work/report")" 'and 1,194 more' "report: those left out"
like "$(cat "$work/report")" '5 of 1,500 call sites' "report: call sites"
unlike "$(cat "$work/report")" '(^|[ (])[0-9]{4}' "report: none without separators"
view_start 100 30 "$work/crowd.log"
shows ' 1,500 shown' "header: with separators"
press V f
shows '^1,500 allocations' "summary: what is shown, too"
shows '5 of 1,500 call sites' "summary: as the report"
press q
ends 0 "it ends"

# What went with an exec is freed wherever that is shown, and the program before it has its own name.
"$memtrack" -q --no-report -o "$work/exec.mtk" "$testbin/family/family" exec 40
view_start 160 40 "$work/exec.mtk"
shows 'exec\.mtk .* shown' "a trace with an exec"
shows '^exe +[0-9]+ ' "thread pane: the new program"
row=$(screen | sed -n 's/^family  *[0-9][0-9]*  *//p' | tail -n 1)
like "$row" '^[0-9.]+ [KM]?i?B  +[0-9.]+ [KM]?i?B  +0 B ' "thread pane: nothing of the old one is left"
is "$(echo "$row" | awk '{ print $1 $2 }')" "$(echo "$row" | awk '{ print $3 $4 }')" "thread pane: it went"
is "$(screen | grep -c '^\[X\] .* family ')" "$(screen | grep -c '^\[.*\] .* family ')" "list: all of the old program is gone, by its name"
press v v v v v
shows '^view: threads' "the view of threads"
is "$(screen | sed -n 's/^family  *[0-9][0-9]*  *//p' | head -n 1 | awk '{ print $1, $2, $3, $4, $5, $6 }')" \
	"$(echo "$row" | awk '{ print $1, $2, $3, $4, $5, $6 }')" "threads: as in the pane"
press q
ends 0 "it ends"
done_testing
