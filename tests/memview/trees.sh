#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: call tree, callers, flame graph, threads, modules and summary in the viewer.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"
view_start 160 40 "$view_log"
shows '106 shown' "the trace is there"

# The demo's ways: start_thread > worker_loop > parse_line, and > handle_request > cache_put; main > ...
press v v
shows 'view: call tree' "v comes to the call tree"
shows 'Cost: allocated ▼' "the header has its cost"
shows '72\.9 KiB  90\.3 % .* ▾ start_thread' "a way down that is the only one is unfolded"
shows '47\.9 KiB  59\.3 % .* parse_line' "to where it parts"
shows '25\.0 KiB  30\.9 % .* ▸ handle_request' "what has more below is marked"
shows 'Share   : 90\.3 %, 90\.3 % of parent' "the detail has the shares"
shows 'Leaked  : 50 \(25\.0 KiB\)' "and the sums"
shows '── Call sites' "and call sites"
shows '47\.9 KiB  parse_line' "those with most first"
press j j j
shows 'Function: handle_request|handle_request \(demo\)' "j moves"
press Space
shows '  cache_put \(demo\)' "space unfolds"
press Space
shows '▸ handle_request' "and folds"
press +
shows '▾ handle_request' "+ unfolds"
press -
shows '▸ handle_request' "- folds"
press -
shows '▸ worker_loop' "and goes to the parent when there is nothing to fold"
press '*'
shows '^ +25\.0 KiB .* cache_put' "* unfolds all"
shows 'Called by' "the detail has the callers"
press Enter
shows '^ +72\.9 KiB  90\.3 % .* ▾ worker_loop' "Enter zooms in"
hides '^ +7\.9 KiB' "nothing else is left"
press u
shows '▾ start_thread' "u zooms out"
press BSpace
shows '^ +7\.9 KiB .* main' "Backspace, too"
press BSpace
shows 'all is shown already' "as far as it goes"
press G S
shows 'Cost: allocated ▲' "S reverses"
press S s
shows 'cost: count' "s takes the next cost"
press c
shows 'cost: temporary' "so does c"
shows '^ +50 +90\.9 % .* start_thread' "half of the blocks were temporary"
press c
shows '24\.5 KiB .* start_thread|26\.4 KiB .* start_thread' "the peak"
shows 'Cost: peak' "is named"
press c
shows '^ +25\.0 KiB  86\.2 % .* start_thread' "what leaked"
hides 'parse_line' "nothing else is shown"
press f f f
shows 'nothing shown has any of this cost' "of freed blocks nothing leaked"
press c c
shows 'parse_line' "but they were allocated"
press f t t
shows 'Thread: worker-1' "the thread filter"
hides 'parse_line' "holds in the tree"
press T T
press / main Enter
hides 'start_thread' "so does a search"
shows '^ +7\.9 KiB 100\.0 %' "of which the shares are"
press / C-u Enter
shows '72\.9 KiB  90\.3 %' "and back"

press v
shows 'view: callers' "callers"
press g
shows '^ +47\.9 KiB  59\.3 % .*▸ parse_line' "begin with the call sites"
press +
shows ' └▾ worker_loop' "their callers are below"
shows '  start_thread' "up to the thread's first frame"
press j j
shows 'On the way to' "the detail says where from"
press Enter
shows 'view: callers|St\.|Count +Total' "a leaf leads to its call site"
press '\' '\'
shows '×50 +47\.9 KiB .* parse_line' "in the list of call sites"
press c
shows 'cost: count' "c is for call sites, too"
press c
shows 'Count +Temporary' "with a column"
press c
shows 'Count +Peak' "for the peak"
shows '×50 +24\.5 KiB' "of each"
press c c c
shows 'cost: allocated' "once around"

press v v v v v
shows 'view: modules' "modules"
shows 'Module, and below its call sites' "have a head"
shows '80\.8 KiB 100\.0 % +29\.0 KiB +29\.0 KiB' "allocated, live, leaked"
press V
shows 'view: threads' "V goes back"
shows 'Thread +TID +Allocated +Freed +Net +Leaked +Peak +Count +Temporary' "with all columns"
shows 'worker-1 +101 +25\.0 KiB +0 B +25\.0 KiB +25\.0 KiB +24\.5 KiB +50 +0' "of each thread"
press s s s
shows 'Sort: Leaked' "sorted by any"
like "$(screen | sed -n 6p)" '^worker-1 ' "the worst first"
press f
shows '2 threads' "the filter holds: who leaked nothing is not there"
press f f f
press v v v
shows 'view: records' "v goes round"
press V
shows 'view: summary' "the summary"
shows '^  allocated +106 blocks' "is the report"
shows '^  leaked +51 blocks' "of all"
press G
shows '^Threads' "and it scrolls"
press f g
shows '^filter: leaks' "what is shown is told above it"
press f f f
press M
shows 'the lines of this view have no time' "M needs a row with a time"
press W
shows 'Write the visible' "W writes it"
type_text "$work/summary"
press Enter
shows 'lines written' "as lines"
like "$(cat "$work/summary")" 'Leaked, by call site' "of the report"

# Marks and ranges by the first and the last allocation below a row.
view_start 160 40 "$view_log"
shows '106 shown' "a fresh one"
press v v M
shows 'marker M1 at 0\.800ms' "a function's marker is where its first allocation is"
press '[' ']'
shows '▶◀ RANGE 0\.800ms to 47\.310ms' "its range is from the first to the last"
hides '4\.0 KiB .* load_config' "and holds in the tree"
press R m
shows '▶ DELTA since 0\.800ms' "so does delta"
press m v v M
shows 'marker M2 at 0\.' "the flame graph has times"
press v M
shows 'marker M3 at ' "so have threads"
press q
ends 0 "it ends"

# A sample: how far sums may be off.
if [ -f "$hook" ] && [ -x "$top_builddir/examples/leaky" ] &&
	"$memtrack" -q --sample 4096 -o "$work/sample.mtk" "$top_builddir/examples/leaky" >"$work/out" 2>&1; then
	view_start 160 40 "$work/sample.mtk"
	shows 'SAMPLE of 4\.0 KiB' "a sample"
	press v v
	shows 'Allocated +95% +Share' "the tree has a column of margins"
	shows '~[0-9.]+ [KM]iB +±[0-9]+% +[0-9.]+ %' "of each row"
	shows "Alloc'd : ~[0-9.,k]+ \+-[0-9.,k]+ \(~[0-9.]+ [KM]iB \+-[0-9.]+ [KM]?i?B\)" "and in the detail"
	press q
	ends 0 "it ends"
else
	skip "a sample" "memtrack does not run here"
fi

# A trace that grows: the cursor stays on its node, whatever comes above it.
head -n 12 "$view_log" >"$work/growing"
view_start 120 30 -f "$work/growing"
press v v
shows 'view: call tree' "a tree of a growing trace"
press g
shows '^ +4\.0 KiB .* ▸ main' "main has most"
shows '── Function' "and is selected"
tail -n +13 "$view_log" >>"$work/growing"
shows '^ +72\.9 KiB .* start_thread' "more came above it"
shows '\│  main \(demo\)' "main is selected still"
shows 'Alloc.d : 6 \(7\.9 KiB\)' "and has its own new ones"
press u v v
shows '^.all' "the flame graph grows, too"

# The flame graph: boxes where the sums say they are.
boxes()
{
	awk -v width="$1" '
	function lay(path, level, at,    n, i, j, kids, t, sorted) {
		n = split(children[path], kids, "\n")
		for (i = 1; i <= n; i++)
			for (j = i; j > 1 && sum[kids[j]] > sum[kids[j - 1]]; j--) {
				t = kids[j]; kids[j] = kids[j - 1]; kids[j - 1] = t
			}
		for (i = 1; i <= n; i++) {
			from = int(at * width / all + 0.5); to = int((at + sum[kids[i]]) * width / all + 0.5)
			if (to > from)
				print level, from
			lay(kids[i], level + 1, at)
			at += sum[kids[i]]
		}
	}
	/;|\) [0-9]+$/ && !/^command|^filter/ {
		n = $NF; sub(/ [0-9]+$/, "")
		k = split($0, f, ";"); path = ""
		all += n
		for (i = 1; i <= k; i++) {
			parent = path; path = path ";" f[i]
			if (!(path in sum)) {
				sum[path] = 0
				children[parent] = children[parent] (children[parent] ? "\n" : "") path
			}
			sum[path] += n
		}
	}
	END { print 0, 0; lay("", 1, 0) }' "$work/stacks" | sort -k1n -k2n
}
drawn()
{
	screen | awk -v first="$1" -v last="$2" 'NR >= first && NR <= last {
		for (i = 1; i <= length($0); i++)
			if (substr($0, i, 1) ~ /[|>]/)
				print NR - first, i - 1
	}' | sort -k1n -k2n
}
for size in 60x15 100x30 237x50; do
	view_env="LC_ALL=C NO_COLOR=1"
	rm -f "$work/stacks"
	view_start "${size%x*}" "${size#*x}" "$view_log"
	press v v v v
	shows 'view: flame graph' "$size: the flame graph"
	shows '80\.8 KiB allocated' "$size: of all"
	press C
	shows 'coloured by cost' "$size: C changes its colours"
	press W
	type_text "$work/stacks"
	press Enter
	shows 'functions written' "$size: W writes its stacks"
	press g
	shows '^.all-' "$size: there is all of it"
	rows=${size#*x}
	last=$((6 + rows / 3))
	[ "$rows" -gt 15 ] || last=9
	is "$(drawn 6 $last)" "$(boxes "${size%x*}" | awk -v most=$((last - 6)) '$1 <= most')" \
		"$size: every box is where it belongs"
	press Down Down
	shows '^>worker_loop' "$size: Down goes into the widest"
	shows '^72\.9 KiB 90\.3 % +worker_loop' "$size: which the bottom line names"
	press Right
	shows '^4\.0 KiB 4\.9 % +load_config' "$size: Right goes to the next on its level"
	press Left Up
	shows '^72\.9 KiB 90\.3 % +start_thread' "$size: Left and Up"
	press Enter
	shows '^>start_thread.*-$' "$size: Enter zooms in"
	shows 'zoomed to 90\.3 %' "$size: which is told"
	press u
	shows '^.all-' "$size: u zooms out"
	press l Tab
	shows 'Detail' "$size: Tab shows the detail"
	press q
	ends 0 "$size: it ends well"
done
done_testing
