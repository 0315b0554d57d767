# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: stacks of threads with a matching name only.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

stacks_wanted=no

check()
{
	[ "$depth" != 0 ] || return 0
	wanted=$(awk '$1 == "thread" && $3 == "wanted-1" { print $2 }' "$out")
	other=$(awk '$1 == "thread" && $3 == "other-1" { print $2 }' "$out")
	like "$(awk -v t="$wanted" '$3 == t && $4 == "malloc" && $5 == 555' "$events")" ' owner_take;named_taker' \
		"the wanted thread has stacks ($v)"
	is "$(awk -v t="$other" '$3 == t && $4 == "malloc" && $5 == 555 { print $8 }' "$events")" "-" \
		"the other has none ($v)"
	is "$(awk -v t="$other" '$3 == t && $4 == "malloc" && $5 == 555' "$events" | wc -l)" 1 "but it has its events ($v)"
}

each_variant stack_threads --stack-threads wanted
done_testing
