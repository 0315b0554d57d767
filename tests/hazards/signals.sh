# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: signal handlers (group D).
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

# What a handler maps while it interrupts a call is taken for that call's own: recorded, marked inner.
all_mapped()
{
	[ "$format" = mtk ] || return 0
	for mapped_op in mmap munmap; do
		mapped=$("$testbin/tools/trace_dump" "$trace" |
			awk -v op=$mapped_op '$1 == "event" && $4 == op && $5 == 122880' | wc -l)
		[ "$mapped" -eq 500 ] || echo "$mapped times $mapped_op of 122880 bytes, not 500"
	done
}
also=all_mapped
hazard D30 "a handler in the middle of the hook" live::122880=0 live::126976=0 pages.live=0 unknown=0 \
	-- "$h/d30_reentry"
modes="mtk/0 mtk/64"
hazard D30 "a handler in the middle of a thread's first call" made:malloc:3033=500 live::3033=0 live::122880=0 \
	unknown=0 -- "$h/d30_first"
plain
hazard D30 "a handler that allocates while pages are mapped" made:malloc:3031=300 live::3031=0 live::126976=0 \
	unknown=0 double=0 -- "$h/d30_heap"
hazard D30 "a handler that leaves with siglongjmp" made:malloc:3030=1000 live::3030=0 -- "$h/d30_jump"
hazard D31 "all signals are the program's" made:malloc:3131=200 live::3131=0 -- "$h/d31_all_signals"
hazard D32 "a crash handler that allocates" -- "$h/d32_crash"
hazard D33 "a handler with 2 KiB of stack" made:malloc:33=200 made:realloc:333=200 live::333=0 \
	-- "$h/d33_small_stack"
done_testing
