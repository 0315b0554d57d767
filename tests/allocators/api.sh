# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the whole allocation API, straight calls, errno, pages, wrappers; as trace and as text, with
# stacks and without.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/allocators/allocators.sh"

for what in api leak straight errno pages halves; do
	"$calls" $what >"$work/plain" 2>&1
	for depth in 0 64; do
		for format in mtk text; do
			name="$what, depth $depth, $format"
			"$memtrack" -q -d $depth --format $format -o "$work/t.$format" "$calls" $what >"$work/out" 2>&1
			is $? 0 "$name: exit status"
			ok "$name: the same output" cmp "$work/plain" "$work/out"
		done
		unlike "$(cat "$work/out")" FAIL "$what: behaves"
		[ $what = pages ] || expected "$work/out" "$work/t.mtk" "$what, depth $depth: the trace holds what it did"
	done
	cp "$work/t.mtk" "$work/$what.mtk"
done

is "$("$dump" "$work/errno.mtk" | awk '$1 == "event" && ($6 == "0x0" || $6 ~ /^0xfffff/)')" "" \
	"no block where a call failed"
like "$("$memview" --report "$work/halves.mtk")" 'leaked +6 blocks +192\.0 MiB' "halves: the heap"
like "$("$memview" --report "$work/halves.mtk")" '^ +mmap.* 1 mapping .*64\.0 MiB' "halves: the pages"

# The buffers are full all the time, or nobody empties them.
"$calls" errno >"$work/plain"
"$memtrack" -q --buffer-size 4K -o "$work/t.mtk" "$calls" errno >"$work/out" 2>&1
ok "errno, full buffers: the same output" cmp "$work/plain" "$work/out"
"$memtrack" -q --drop --buffer-size 4K -o "$work/t.mtk" "$calls" errno >"$work/out" 2>"$work/err"
ok "errno, events lost: the same output" cmp "$work/plain" "$work/out"
"$memtrack" -q -o /dev/full "$calls" errno >"$work/out" 2>"$work/err"
ok "errno, a full disk: the same output" cmp "$work/plain" "$work/out"

# A wrapper that the user preloads is behind the hook: each call is one event, by the outer name.
wrap=$testbin/allocators/wrap.so
for preload in "$wrap" "$hook:$wrap" "$wrap:$hook"; do
	LD_PRELOAD=$wrap "$calls" counts >"$work/plain" 2>&1
	"$memtrack" -q -o "$work/t.mtk" env LD_PRELOAD="$preload" "$calls" counts >"$work/out" 2>&1
	ok "wrapper: the same output" cmp "$work/plain" "$work/out"
	expected "$work/out" "$work/t.mtk" "wrapper: each call is one event"
done
LD_PRELOAD=$wrap "$memtrack" -q -o "$work/t.mtk" "$calls" leak >"$work/out" 2>&1
expected "$work/out" "$work/t.mtk" "wrapper: posix_memalign is not aligned_alloc"
done_testing
