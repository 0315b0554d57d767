# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: C++14 sized delete, and the aligned forms.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(say aligned)" 1 "the alignment is kept ($v)"
	is "$(count new)" 2 "two news ($v)"
	is "$(count delete)" 2 "two deletes ($v)"
	is "$(count free)$(count malloc)$(count aligned_alloc)" 000 "what they stand on is silent ($v)"
}

each_variant sized_delete
done_testing
