# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: operator new[] and delete[].
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count 'new[]' 1000)" 1 "one new[] ($v)"
	is "$(count 'delete[]')" 1 "one delete[] ($v)"
	is "$(count new)$(count malloc)" 00 "what it stands on is silent ($v)"
}

each_variant new_array
done_testing
