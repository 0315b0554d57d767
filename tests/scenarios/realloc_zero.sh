# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: realloc(p, 0) is a free.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say null)" 1 "this libc returns NULL ($v)"
	is "$(count free)" 1 "one free ($v)"
	is "$(count realloc)" 0 "and no realloc ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant realloc_zero
done_testing
