# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: malloc, then free.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count malloc 100)" 1 "one malloc ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant malloc_free
done_testing
