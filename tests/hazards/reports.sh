# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what counts as leaked (group M).
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

no_null() { "$testbin/tools/trace_dump" "$trace" | awk '$1 == "event" && $4 != "EXIT" && $6 ~ /^0x(0|ffff[0-9a-f]*)$/'; }
modes="text/64"
hazard M123 "failures are no blocks" blocks.allocs=2 blocks.live=1 pages.allocs=0 live::123=0 unknown=0 \
	-- "$h/m123_failures"
modes="mtk/0" also=no_null
hazard M123 "failures are no blocks" blocks.allocs=2 blocks.live=1 pages.allocs=0 live::123=0 unknown=0 \
	-- "$h/m123_failures"
plain
deep="blocks.leaked=1 blocks.leaked_bytes=1240"
hazard M124 "what libc keeps is no leak" live:malloc:1240=1 -- "$h/m124_runtime"
plain
hazard M125 "a pool is one block" live:malloc:1250000=1 made::1250=0 blocks.live_bytes\<1260000 -- "$h/m125_pool"
hazard M126 "mapped memory" pages.live=9 pages.live_bytes=4644864 pages.allocs=10 live:malloc:1260=1 \
	blocks.live=1 inner.live\<100 -- "$h/m126_pages"

# ends HOW EXPECTATION...
ends()
{
	ends_how=$1
	shift
	hazard M127 "ends by $ends_how" "$@" -- "$h/m127_ends" "$ends_how"
}
ends _exit live:malloc:1270=10
ends quick_exit live:malloc:1270=10
ends abort live:malloc:1270=10
ends exec made:malloc:1270=20
modes="mtk/0"
hazard M127 "ends by exec" live:malloc:1270=10 -- "$h/m127_ends" exec
hazard M127 "ends by _exit" exit=5 blocks.leaked=10 -- "$h/m127_ends" _exit
hazard M127 "ends by abort" signal=6 blocks.leaked=10 -- "$h/m127_ends" abort
plain
# Who goes on after the parent is a process of its own.
child_of_daemon() { "$h/ledger" "$trace".* live:malloc:1272=10 complete=1; }
options=-f also=child_of_daemon
hazard M127 "becomes a daemon" live:malloc:1270=10 made::1272=0 -- "$h/m127_ends" daemon
plain
like "$("$memview" --report "$trace" | head -n 3)" "process $("$testbin/tools/trace_dump" --facts "$trace" |
	awk '$2 == "pid" { print $3 }')( |\$)" "M127 the report names the process"
done_testing
