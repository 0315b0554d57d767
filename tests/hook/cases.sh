# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: programs that are hard on an interposer, with stacks and without.
. "${top_srcdir:-.}/tests/tap.sh"
. "${top_srcdir:-.}/tests/hook/expected.sh"

dump=$testbin/tools/trace_dump

done_in() { "$dump" "$1" | awk '$1 == "event" { print $4, $5 }' >"$work/done"; }

# run_case NAME PROGRAM [ARG...]
run_case()
{
	name=$1
	shift
	for depth in 0 64; do
		trace=$work/$name.$depth.mtk
		"$memtrack" -q -d "$depth" -o "$trace" -- "$@" >"$work/out" 2>"$work/err"
		is $? 0 "$name, depth $depth: exit status"
		unlike "$(cat "$work/out")" FAIL "$name, depth $depth: behaves"
		is "$(cat "$work/err")" "" "$name, depth $depth: nothing on stderr"
		done_in "$trace"
		expected "$name, depth $depth: the trace holds what it did"
	done
}

for name in longjmp destructors churn fork vfork exec hidden errno names resize; do
	run_case "$name" "$testbin/hook/cases" "$name"
done
run_case plugin "$testbin/hook/cases" plugin "$testbin/hook/plugin.so"
run_case throw "$testbin/hook/throw"

names=$("$dump" "$work/names.64.mtk" | grep '^thread')
like "$names" 'by prctl' "a name set by prctl is in the trace"
like "$names" 'by pthread' "a name set by pthread_setname_np is in the trace"
like "$("$dump" "$work/fork.0.mtk")" '^child' "untraced children are noted"
is "$("$dump" "$work/exec.0.mtk" | grep -c '^exec')" 7 "each exec of the process is in the trace"

done_testing
