# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: four threads allocate in every way and free all of it.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	rounds=$(say rounds)
	is "$(tids | wc -l)" 4 "four threads ($v)"
	for op in malloc calloc strdup realloc new 'new[]' delete 'delete[]'; do
		is "$(traced | awk -v op="$op" '$1 == op { n++ } END { print n + 0 }')" $((4 * rounds)) \
			"4 * $rounds $op ($v)"
	done
	is "$(traced | grep -c '^free ')" $((16 * rounds)) "and all the frees ($v)"
	for name in worker-1 worker-2 worker-3 worker-4; do
		like "$(grep ^thread "$dump")" " $name\$" "$name is known ($v)"
	done
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant four_workers
done_testing
