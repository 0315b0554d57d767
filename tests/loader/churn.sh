# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: dlopen, dlclose, unwinding and malloc in parallel; MEMTRACK_LONG=1: for a minute and more.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}
for name in small large; do
	bytes=16
	[ "$name" = small ] || bytes=200000
	printf '#include <stdlib.h>\nchar pad_%s[%s] = { 1 };\nvoid *leaf(size_t n) { char *p = malloc(n); %s return p; }\n' \
		"$name" "$bytes" '__asm__ volatile("" : "+r"(p));' >"$work/$name.c"
	$cc -O1 -g -fPIC -fno-builtin -shared -o "$work/$name.so" "$work/$name.c" || exit 1
done
rounds=150
[ -z "${MEMTRACK_LONG:-}" ] || rounds=30000
for depth in 64 0; do
	timeout 600 "$memtrack" --no-report -d "$depth" -o "$work/trace" -- \
		"$testbin/loader/churn" "$rounds" "$work/small.so" "$work/large.so" >"$work/out" 2>"$work/err"
	is $? 0 "exits 0, depth $depth"
	cat "$work/err" >>"$work/out"
	dump_trace mtk
	is "$(missing "$depth")" "" "every call is in the trace, with its stack (depth $depth)"
	is "$("$testbin/tools/trace_dump" --facts "$work/trace" | grep -E '^(lost|note)')" "" "nothing lost, depth $depth"
done
done_testing
