# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: stacks that are hard to unwind: the program behaves, every stack is right or ends early.
. "${top_srcdir:-.}/tests/loader/expect.sh"

shapes=$testbin/unwind/shapes
for name in garbage noreturn frames deep small migrate; do
	behaves "$name" "$shapes" "$name"
done
case $(uname -m) in
x86_64)
	behaves jit "$shapes" jit
	grep -ls memtrack_test_jitted /tmp/perf-*.map | xargs rm -f
	;;
esac
behaves "lazy binding" "$testbin/unwind/lazy"
behaves "stack use" "$shapes" stack 4096
done_testing
