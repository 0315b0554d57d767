# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: realloc(NULL, n) is one realloc.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count realloc 256)" 1 "one realloc ($v)"
	is "$(count free)" 1 "only the program's own free ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant realloc_null
done_testing
