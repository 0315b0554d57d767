# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook in a process that ran before it came, in both its forms; a static program has but one.
. "${top_srcdir:-.}/tests/tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "functions are patched on x86-64 only"

# run NAME PROGRAM ARGUMENTS...
run()
{
	name=$1
	shift
	timeout 60 "$@" >"$work/out" 2>&1
	status=$?
	grep -E '^(not ok|#)' "$work/out" | sed 's/^/# /'
	ok "$name: $(grep -c '^ok' "$work/out") checks" [ "$status" -eq 0 ]
}

run "dlopen" "$testbin/hook/attach" dlopen "$hook"
run "mapped" "$testbin/hook/attach" mapped "$top_builddir/memtrack-map.so"
if [ -x "$testbin/hook/attach_static" ]; then
	run "mapped, static" "$testbin/hook/attach_static" mapped "$top_builddir/memtrack-map.so"
else
	skip "mapped, static" "no static C library"
fi
done_testing
