# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: 10 MB, which libc takes from mmap: counted once.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(count malloc 10485760)" 1 "one malloc of 10 MiB ($v)"
	is "$(count mmap)" 0 "its pages are not counted again ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant large
done_testing
