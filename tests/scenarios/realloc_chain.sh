# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: five reallocs in a row.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count realloc)" 5 "five reallocs ($v)"
	is "$(count free)" 5 "four old blocks and the last one ($v)"
	is "$(awk '$4 == "realloc" { printf "%s ", $5 }' "$events")" "32 512 8192 200000 64 " \
		"with their sizes in order ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant realloc_chain
done_testing
