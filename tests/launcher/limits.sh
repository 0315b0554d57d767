#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a full disk and tight limits: one warning, the command lives.
# shellcheck disable=SC3045	# dash and bash know ulimit -v
. "${top_srcdir:-.}/tests/tap.sh"
need python3

busy='l = [str(i) * 3 for i in range(200000)]; print(len(l))'
run() { PYTHONMALLOC=malloc "$memtrack" --no-report -d 8 "$@" python3 -c "$busy" >"$work/out" 2>"$work/err"; }

mkdir "$work/small"
if mount -t tmpfs -o size=64k none "$work/small" 2>/dev/null; then
	run -o "$work/small/t.mtk"
	is "$?:$(cat "$work/out")" "0:200000" "a full disk: the command is not disturbed"
	is "$(grep -c 'No space left on device' "$work/err")" 1 "one warning"
	ok "what fitted is there" test -s "$work/small/t.mtk"
	umount "$work/small"
else
	skip "a full disk" "cannot mount a tmpfs"
fi

if asan_build; then
	skip "a limited address space" "AddressSanitizer takes more than any"
else
	(ulimit -v 400000; run -o "$work/t.mtk")
	is "$?:$(cat "$work/out")" "0:200000" "a limited address space"
	unlike "$(cat "$work/err")" 'not traced' "is traced still"
fi
(ulimit -f 100000; run -o "$work/t.mtk")
is "$?:$(cat "$work/out")" "0:200000" "a limited file size, hard"
(ulimit -f 10; run -o "$work/t.mtk")
is "$?:$(cat "$work/out")" "0:200000" "a tiny one"
is "$(grep -vc '^memtrack:' "$work/err")" 0 "only memtrack's words on stderr"
(ulimit -f 10; "$memtrack" --no-report -o "$work/t.mtk" env >"$work/out" 2>"$work/err")
is "$(grep -c 'not traced' "$work/err"):$(grep -c -e memtrack.so -e ^MEMTRACK_SOCKET "$work/out")" "1:0" \
	"without a channel the command is told nothing, and the user once"
if asan_build; then
	skip "no memory" "AddressSanitizer takes more than any"
else
	status=0
	(ulimit -d 2000; "$memtrack" --no-report -o "$work/t.mtk" true 2>"$work/err") || status=$?
	is "$status:$(wc -l <"$work/err")" "125:1" "no memory for memtrack itself: one line, 125"
	like "$(cat "$work/err")" "memtrack: out of memory" "that says so"
fi
done_testing
