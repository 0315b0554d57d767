# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a failed realloc leaves the old block valid and live.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say null)" 1 "it failed ($v)"
	is "$(say intact)" 1 "the old block is as it was ($v)"
	is "$(count realloc)" 0 "no realloc ($v)"
	is "$(count free)" 1 "and only the program's own free ($v)"
}

each_variant realloc_failed
done_testing
