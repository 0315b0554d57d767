# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the same library in programs of another C library.
. "${top_srcdir:-.}/tests/tap.sh"
need musl-gcc

dump=$testbin/tools/trace_dump
musl-gcc -std=gnu11 -O1 -fno-builtin -D_GNU_SOURCE -w -o "$work/cases" "$top_srcdir/tests/hook/cases.c" ||
	skip_all "musl-gcc cannot build the cases"

for name in churn fork vfork errno names resize destructors longjmp; do
	"$memtrack" -q -o "$work/trace" -- "$work/cases" "$name" >"$work/out" 2>"$work/err"
	is $? 0 "$name: exit status"
	unlike "$(cat "$work/out")" FAIL "$name: behaves"
	"$dump" "$work/trace" >"$work/dump"
	sed -n 's/^expect //p' "$work/out" | while read -r key want; do
		got=$(awk -v op="${key%-*}" -v size="${key##*-}" \
			'$1 == "event" && $4 == op && $5 == size { n++ } END { print n + 0 }' "$work/dump")
		[ "$got" = "$want" ] || echo "$key: want $want, got $got"
	done >"$work/wrong"
	is "$(cat "$work/wrong")" "" "$name: the trace holds what it did"
done

done_testing
