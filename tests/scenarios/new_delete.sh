# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: operator new and delete have names of their own.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count new 24)" 1 "one new ($v)"
	is "$(count delete)" 1 "one delete ($v)"
	is "$(count malloc)" 0 "the malloc below new is silent ($v)"
	is "$(count free)" 0 "the free below delete is silent ($v)"
}

each_variant new_delete
done_testing
