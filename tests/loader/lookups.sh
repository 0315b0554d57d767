# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: dlopen keeps its caller's run path, dlsym and dlvsym lead to the hook where they led to malloc,
# a second libc in another namespace does no harm, the hook cannot be unloaded.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}
mkdir "$work/private"
for file in private/libmemtrack-test-private plugin; do
	$cc -O1 -g -fPIC -fno-builtin -shared -o "$work/$file.so" "$top_srcdir/tests/loader/plugin.c" || exit 1
done
for tags in --enable-new-dtags --disable-new-dtags; do
	# shellcheck disable=SC2016
	$cc -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -fno-inline -w -Wl,$tags '-Wl,-rpath,$ORIGIN/private' \
		-o "$work/lookups" "$top_srcdir/tests/loader/lookups.c" -ldl || exit 1
	behaves "lookups $tags" "$work/lookups" "$work/plugin.so"
	like "$(cat "$work/out")" '^by run path: found' "the run path counts"
done
done_testing
