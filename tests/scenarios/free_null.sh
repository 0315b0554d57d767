# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: free(NULL) is silent.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(wc -l <"$events")" 2 "two events, none of the ten free(NULL) ($v)"
	is "$(awk '$6 == "0x0" || $6 == "(nil)"' "$events")" "" "no null pointer ($v)"
}

each_variant free_null
done_testing
