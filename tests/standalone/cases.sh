# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the programs of tests/hook, which are hard on an interposer, under the hook alone.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"
. "${top_srcdir:-.}/tests/hook/expected.sh"

for name in longjmp destructors churn fork vfork exec hidden errno names resize; do
	run_case "$name" "$testbin/hook/cases" "$name"
done
run_case plugin "$testbin/hook/cases" plugin "$testbin/hook/plugin.so"
run_case throw "$testbin/hook/throw"

if command -v musl-gcc >/dev/null; then
	musl-gcc -O1 -fno-builtin -o "$work/rules" "$top_srcdir/tests/standalone/musl.c"
	for depth in 0 8; do
		alone MEMTRACK_STACK_DEPTH=$depth -- "$work/rules"
		is "$status$(cat "$work/err")" 0 "musl, depth $depth: runs"
		well_formed "musl, depth $depth"
		is "$(awk '$4 == 1001 || $4 == 1002 { n[$3 " " $4]++ } END { print n["malloc 1001"], n["calloc 1002"] }' \
			"$work/events")" "1 1" "musl, depth $depth: the log holds what it did"
	done
else
	skip "a program of musl libc" "musl-gcc is not installed"
fi
done_testing
