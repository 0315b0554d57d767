# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: an anonymous mapping, balanced.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count mmap 1048576)" 1 "one mmap ($v)"
	is "$(count munmap 1048576)" 1 "one munmap with its size ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant pages
done_testing
