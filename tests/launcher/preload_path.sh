#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook is found, under any path.
. "${top_srcdir:-.}/tests/tap.sh"

traced()
{
	err=$(env MEMTRACK_HOOK="$1" TMPDIR="$work" "$memtrack" -o "$work/t.mtk" --no-report true 2>&1)
	[ $? = 0 ] && ! echo "$err" | grep -q 'not traced'
}

for name in "plain" "a blank" "a:colon" 'a$LIB' 'all: of$them;'; do
	mkdir -p "$work/$name"
	cp "$hook" "$work/$name/memtrack.so"
	ok "in a folder named '$name'" traced "$work/$name/memtrack.so"
done
is "$(find "$work" -mindepth 1 -name 'memtrack-*')" "" "no link is left behind"
cd "$work/plain" && ok "a relative path" traced memtrack.so
cd "$work" || exit 1
err=$(MEMTRACK_HOOK=$work/none.so "$memtrack" -o "$work/t.mtk" touch "$work/started" 2>&1)
is $? 125 "a hook that is not there"
like "$err" '^memtrack: cannot find memtrack.so' "is said"
ok "and nothing is started" test ! -e "$work/started"
is "$(LD_PRELOAD="libm.so.6 libdl.so.2" "$memtrack" -q -o "$work/t.mtk" grep -c 'libm\.so\|memtrack' /proc/self/maps |
	awk '{ print ($1 > 1) }')" 1 "a preload of the user stays"
done_testing
