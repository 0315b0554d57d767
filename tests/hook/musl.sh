# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the same library in programs of another C library.
. "${top_srcdir:-.}/tests/tap.sh"
. "${top_srcdir:-.}/tests/hook/expected.sh"
need musl-gcc

dump=$testbin/tools/trace_dump
musl-gcc -std=gnu11 -O1 -fno-builtin -D_GNU_SOURCE -w -o "$work/cases" "$top_srcdir/tests/hook/cases.c" ||
	skip_all "musl-gcc cannot build the cases"

for name in churn fork vfork errno names resize destructors longjmp; do
	"$memtrack" -q -o "$work/trace" -- "$work/cases" "$name" >"$work/out" 2>"$work/err"
	is $? 0 "$name: exit status"
	unlike "$(cat "$work/out")" FAIL "$name: behaves"
	"$dump" "$work/trace" | awk '$1 == "event" { print $4, $5 }' >"$work/done"
	expected "$name: the trace holds what it did"
done

done_testing
