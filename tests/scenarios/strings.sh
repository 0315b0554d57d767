# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: strdup and strndup under their own names.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say copied)" 1 "the copy is right ($v)"
	is "$(count strdup 28)" 1 "strdup counts its NUL ($v)"
	is "$(count strndup 9)" 1 "strndup too ($v)"
	is "$(count malloc)" 0 "the malloc below them is silent ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant strings
done_testing
