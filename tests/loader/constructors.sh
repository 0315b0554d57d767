# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: no deadlock with the loader's lock, and room in the static TLS block for who had it before.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}
$cc -O1 -g -fPIC -fno-builtin -shared -o "$work/waiting.so" "$top_srcdir/tests/loader/waiting.c" -lpthread || exit 1
# glibc keeps 1664 bytes for libraries opened later; ours are 16 of them.
tls=
for i in 0 1 2 3 4 5; do
	printf '__thread char taken[256] __attribute__((tls_model("initial-exec"))) = { 1 };\nchar *take(void) { return taken; }\n' >"$work/tls.c"
	$cc -O1 -fPIC -shared -o "$work/tls$i.so" "$work/tls.c" || exit 1
	tls="$tls $work/tls$i.so"
done
behaves waiting "$testbin/loader/constructors" "$work/waiting.so"
# shellcheck disable=SC2086
behaves "static TLS" "$testbin/loader/constructors" $tls
like "$(cat "$work/out")" '^6 loaded' "all have room"
done_testing
