# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a block of a thread that is gone is freed by another: no leak.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	leaver=$(awk '$1 == "thread" && $3 == "leaver" { print $2 }' "$out")
	is "$(live_count)" 0 "nothing is left ($v)"
	is "$(awk -v tid="$leaver" '$3 == tid && $4 == "EXIT" { n++ } END { print n + 0 }' "$dump")" 1 \
		"the thread's EXIT is there ($v)"
	exit_bytes=$(awk -v tid="$leaver" '$3 == tid && $4 == "EXIT" { print $5 }' "$dump")
	ok "with the bytes it allocated, $exit_bytes ($v)" [ "$exit_bytes" -ge 444 ]
	unlike "$("$memview" --report "$work/trace" 2>&1 | grep -i leak)" '\b444\b' \
		"the report does not call it a leak ($v)"
}

each_variant free_after_exit
done_testing
