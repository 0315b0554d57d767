# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the rules of the text log, one by one, with stacks and without.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"

# The lines about addresses that the program named, as it named them.
compare()
{
	grep '^line ' "$work/out" | cut -d' ' -f2- >"$work/want"
	awk 'NR == FNR { known[$4] = 1; next } $6 in known { print $3, $4, $6 }' "$work/out" "$work/events" |
		awk 'NR == FNR { n++; want[n] = $0; next }
			# Other blocks at the same addresses (of stdio) come before and after.
			$0 == want[at + 1] { at++; print }' "$work/want" - >"$work/got"
	if cmp -s "$work/want" "$work/got"; then
		ok "$1: the lines are there, in this order"
	else
		not_ok "$1: the lines are there, in this order" "$(diff "$work/want" "$work/got" | head -n 10)"
	fi
}

# Nothing that failed left a line: no address is allocated twice, and sizes and totals agree.
totals()
{
	awk '$5 != "-" && $3 != "EXIT" { sum[$1] += $4; if ($5 != sum[$1]) print "want " sum[$1] ": " $0 }' \
		"$work/events" >"$work/wrong"
	is "$(head -n 3 "$work/wrong")" "" "$1: total is the thread's sum of sizes"
	is "$(awk '$6 == "0x0" || $6 == "0xffffffffffffffff" || $4 > 2^40 && $4 != "-"' "$work/events")" "" \
		"$1: nothing about what failed"
	is "$(awk '$3 == "munmap" && $4 == "-" || $3 == "free" && $4 != "-"' "$work/events")" "" \
		"$1: munmap has a size, free has none"
	is "$(awk 'BEGIN { last = 0 } $7 + 1000 < last { print } { last = $7 }' "$work/events" | head -n 1)" "" \
		"$1: time goes on"
}

for depth in 0 16; do
	for buffer in 0 4096 1M; do
		name="depth $depth, buffer $buffer"
		alone MEMTRACK_STACK_DEPTH=$depth MEMTRACK_BUFFER_SIZE=$buffer -- "$programs/rules"
		is $status 0 "$name: exits 0"
		is "$(cat "$work/err")" "" "$name: nothing on stderr"
		is "$(grep FAIL "$work/out")" "" "$name: the calls do what they do"
		well_formed "$name" causal
		compare "$name"
		totals "$name"
		if [ $depth = 0 ]; then
			is "$(awk '$8 > 0' "$work/events" | head -n 1)" "" "$name: no frames"
		else
			is "$(awk '$8 == 0 && $3 != "EXIT"' "$work/events" | head -n 1)" "" \
				"$name: frames for allocations and frees"
			is "$(awk -v d=$depth '$8 > d' "$work/events" | head -n 1)" "" "$name: not more than asked for"
		fi
	done
done
done_testing
