# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: numbers that must be exact (group N).
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

race="live:malloc:+live:realloc:=64 unknown=0 double=0 implied=0"
# shellcheck disable=SC2086
hazard N128 "addresses reused at once by others" $race -- "$h/n128_race"
if command -v taskset >/dev/null; then
	memtrack_plain=$memtrack
	printf '#!/bin/sh\nexec taskset 1 %s "$@"\n' "$memtrack" >"$work/pinned"
	chmod +x "$work/pinned"
	memtrack=$work/pinned modes="text/64 mtk/0"
	# shellcheck disable=SC2086
	hazard N128 "on one processor" $race -- "$h/n128_race"
	memtrack=$memtrack_plain
	plain
else
	by_hand N128 "on one processor" "taskset is not installed"
fi
hazard N129 "frees of another thread" made:malloc:100000=10000 live::100000=0 unknown=0 double=0 implied=0 \
	blocks.peak_bytes\<1010000 threads=2 -- "$h/n129_queue"
deep="live_in:last_resize=1 in:last_resize=1"
hazard N130 "realloc" live:realloc:789=1 live_bytes::=789 unknown=0 double=0 implied=0 \
	blocks.peak_bytes\>=2000000 blocks.peak_bytes\<2005000 -- "$h/n130_realloc"
plain
hazard N131 "sizes as asked for" blocks.allocs=1000 blocks.alloc_bytes=500500 blocks.freed_bytes=499500 \
	blocks.live_bytes=1000 -- "$h/n131_sizes"
deep="in:second_site=1"
hazard N132 "mappings in pieces" pages.live_bytes=376832 -- "$h/n132_pages"
plain
hazard N133 "large blocks are counted once" blocks.live_bytes=201326592 pages.live_bytes=67108864 \
	pages.allocs=1 -- "$h/n133_large"
hazard N134 "the peak" blocks.peak_bytes\>=8000000 blocks.peak_bytes\<8100000 live:malloc:134=6 -- "$h/n134_peak"
hazard N135 "one call site, four threads" made:malloc:4=200000 live_bytes:malloc:4=800000 -- "$h/n135_one_stack"
hazard N136 "beyond 32 bits" blocks.alloc_bytes=64424509440 blocks.freed_bytes=64424509440 \
	blocks.peak_bytes=3221225472 pages.live_bytes=5368709120 -- "$h/n136_beyond"
done_testing
