# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a growing realloc frees the old block and begins the new one.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say intact)" 1 "the bytes came along ($v)"
	is "$(count realloc 100000)" 1 "one realloc ($v)"
	is "$(count free)" 3 "one free is the old block's ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant realloc_grow
done_testing
