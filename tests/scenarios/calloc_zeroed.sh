# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: calloc gives zeroes and its product is the size.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say nonzero)" 0 "the block is zero ($v)"
	is "$(count calloc 400)" 1 "one calloc of 16 * 25 ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant calloc_zeroed
done_testing
