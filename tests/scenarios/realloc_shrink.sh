# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a shrinking realloc, moved or not.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say intact)" 1 "the bytes are there ($v)"
	is "$(count realloc 40)" 1 "one realloc ($v)"
	is "$(count free)" 2 "one free is the old block's ($v)"
}

each_variant realloc_shrink
done_testing
