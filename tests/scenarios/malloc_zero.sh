# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: malloc(0) is logged with its pointer.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say null)" 0 "this libc returns a block ($v)"
	is "$(count malloc 0)" 1 "one malloc of 0 bytes ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant malloc_zero
done_testing
