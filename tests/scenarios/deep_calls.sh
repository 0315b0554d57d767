# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a stack of twenty functions, in order.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	[ "$depth" != 0 ] || return 0
	stack=$(stack_of "$(awk '$1 == "frames" { print $2 }' "$out")")
	for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		is "$(printf '%s' "$stack" | cut -d';' -f$level)" "deep_$level" "frame $level ($v)"
	done
}

each_variant deep_calls
done_testing
