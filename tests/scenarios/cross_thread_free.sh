# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: one thread allocates, another frees while the first still lives.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	is "$(tids | wc -l)" 2 "two threads ($v)"
	is "$(awk '$5 == 333 && $4 == "malloc" { print $3 }' "$events")" \
		"$(awk '$1 == "thread" && $3 == "owner" { print $2 }' "$out")" "the owner allocates ($v)"
	like "$(grep ^thread "$dump")" ' owner$' "the thread's name is known ($v)"
	is "$(live_count)" 0 "nothing is left ($v)"
}

each_variant cross_thread_free
done_testing
