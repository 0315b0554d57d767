# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a leak stays live and is reported with its function.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(live_count)" 1 "one block is left ($v)"
	is "$(count malloc 777)" 1 "the one of 777 bytes ($v)"
	report=$("$memview" --report "$work/trace" 2>&1)
	is $? 0 "memview reports ($v)"
	like "$report" '777' "the report has its size ($v)"
	[ "$depth" = 0 ] || like "$report" 'forgetful' "the report names the leaking function ($v)"
}

each_variant leak
done_testing
