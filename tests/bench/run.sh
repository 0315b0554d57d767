# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: bench/run measures a small workload in all modes, and its results become tables and a plot.
. "${top_srcdir:-.}/tests/tap.sh"

# value COLUMN CONDITION: of the first results line for which awk's CONDITION holds.
value() { awk -F '\t' "$2 { print \$$1; exit }" "$work/results"; }

modes='full free none naive buffered stacks'
! command -v heaptrack >/dev/null || modes="$modes raw default"

ok "bench/run runs" "$top_srcdir/bench/run" -q -b "$top_builddir" -o "$work/results" -s main tight
made=$(value 4 '$1 == "made"')
ok "the counter saw the calls of the workload ($made)" [ "$made" -ge 200000 ]
is "$(value 5 '$1 == "made"')" "$made" "the trace has as many events"
is "$(value 6 '$1 == "made"')" 0 "none was lost"
for mode in $modes; do
	# The program alone, as a part of all.
	line="\$1 == \"time\" && \$4 == \"$mode\""
	program=$(value 7 "$line") all=$(value 10 "$line") cpu=$(value 8 "$line")
	ok "$mode: the program's time is a part of the session's" [ "${program:-0}" -gt 0 -a "$program" -le "$all" ]
	ok "$mode: it took CPU time" [ "${cpu:-0}" -gt 0 ]
	is "$(value 12 "$line")" 0 "$mode: it ended well"
	ok "$mode: something was written" [ "$(value 13 "$line")" -gt 1000 ]
	ok "$mode: nothing was by the untraced run" [ "$(value 20 "$line")" -eq 0 ]
done

"$top_srcdir/bench/table" "$work/results" >"$work/table"
for mode in $modes; do
	like "$(sed -n '/^Wall ns/,/^tight/p' "$work/table" | sed -n 3p)" "(^| )$mode( |\$)" "the table has $mode"
done
like "$(cat "$work/table")" "^tight +$made +1\\.0000 +0 " "the table has the events"
"$top_srcdir/bench/plot" "$work/results" >"$work/plot.svg"
like "$(cat "$work/plot.svg")" '>tight</text>' "the plot names the workload"
if command -v xmllint >/dev/null; then
	ok "the plot is XML" xmllint --noout "$work/plot.svg"
else
	skip "the plot is XML" "xmllint is not installed"
fi

# A sweep keeps the number that goes with the workload.
ok "bench/run sweeps" "$top_srcdir/bench/run" -q -b "$top_builddir" -o "$work/limit" -s limit -m none
is "$(awk -F '\t' '$1 == "time" && $7 > 0 { printf "%s %s %s;", $2, $3, $4 }' "$work/limit")" \
	"limit deep:64 none;limit python none;" "by workload and number"

# The clock around each capture: as many as there were allocations.
MEMTRACK_HOOK=$top_builddir/bench/stackid.so MEMTRACK_BENCH_STACKID=$work/stackid \
	"$memtrack" --no-report -o "$work/t.mtk" "$top_builddir/bench/tight" 5000 >/dev/null 2>&1
like "$("$top_builddir/bench/stackid_print" "$work/stackid")" '^500[0-9]+ ' "stackid.so takes the time of every capture"

# Instructions by function.
if command -v valgrind >/dev/null; then
	"$top_srcdir/bench/profile" -b "$top_builddir" -m none -s 1000 tight >"$work/profile" 2>&1
	like "$(cat "$work/profile")" '^tight none: [1-9][0-9]* events, [1-9][0-9.]* instructions' "bench/profile counts"
	like "$(cat "$work/profile")" '[0-9.]+  interpose_heap.c:malloc$' "bench/profile names functions"
else
	skip "bench/profile counts" "valgrind is not installed"
fi
done_testing
