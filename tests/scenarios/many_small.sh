# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: 200 blocks of 13 bytes, all freed.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count malloc 13)" 200 "200 mallocs ($v)"
	is "$(count free)" 200 "200 frees ($v)"
	is "$(awk '$4 == "malloc" { n += $5 } END { print n }' "$events")" "$(say total)" "2600 bytes ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant many_small
done_testing
