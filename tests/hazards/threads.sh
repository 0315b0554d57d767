# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: thread-local memory, and threads that end (group B).
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

tls=$h/tls_library.so
hazard B11 "2,400 threads come and go, nothing piles up" unknown=0 "threads>=2400" -- "$h/b11_exits" "$tls"
hazard B12 "key destructors that set keys" made:malloc:1220=50 live::1220=0 made:malloc:1221=200 live::1221=0 \
	made:malloc:1222=200 live::1222=50 unknown=0 -- "$h/b12_keys"
hazard B13 "a thread_local's destructor allocates" made:malloc:1313=5000 live::1313=0 live::1314=0 \
	made:new:4000=100 live:new:=0 -- "$h/b13_thread_local"
hazard B14 "room in the static TLS block" made:malloc:1414=3 -- "$h/b14_static_tls" \
	"$h/static_tls_1.so" "$h/static_tls_2.so" "$h/static_tls_3.so"
attached B14 "the same when attaching" made:malloc:1415=100 live::1415=0 -- "$h/b14_static_tls" \
	"$h/static_tls_1.so" "$h/static_tls_2.so" "$h/static_tls_3.so"
hazard B15 "the table of thread-local blocks grows" made:malloc:1515=64 live::1515=0 -- "$h/b15_growth" "$tls"
unlike "$(objdump -dr "$hook" 2>/dev/null; ${MEMTRACK_READELF:-readelf} -Wrs "$hook")" \
	'__tls_get_addr|DTPMOD|TLSDESC' "B15 the hook's own TLS needs no allocation"
hazard B16 "a constructor waits for a thread that allocates" made:malloc:1616=1000 live::1616=0 \
	-- "$h/b16_waits" "$h/waiting_library.so"
hazard B17 "50 threads ask for their bounds" made:malloc:1717=1000 live::1717=0 -- "$h/b17_bounds"
attached B17 "threads older than the attach" made:malloc:1717=1000 live::1717=0 "threads>=50" -- "$h/b17_bounds"
attached I87 "blocks older than the attach" older=64 findings=0 made:malloc:1787=15 blocks.leaked=47 \
	-- "$h/i87_older"
attached I87 "blocks freed twice" older=64 findings=1 findings.double=1 -- "$h/i87_older" twice
to_gate auto "$h/i87_older" twice stay
if [ -s "$work/refused" ]; then
	skip "I87 threads that ended before the detach" "$(head -n 1 "$work/refused")"
else
	: >"$work/gate"
	until [ -e "$work/gate.ready" ]; do sleep 0.05; done
	"$memtrack" -q --pid "$target" detach
	is "$("$h/ledger" "$trace" blocks.leaked=15 older=64)" "" "I87 threads that ended before the detach"
fi
: >"$work/gate"
wait
hazard B18 "an audit module" made:malloc:1821=100 live::1821=0 -- \
	env LD_AUDIT="$h/audit_library.so" "$h/b18_audited"
modes=mtk/64 environment=LD_AUDIT=$h/audit_library.so
hazard B18 "an audit module in memtrack, too" made:malloc:1821=100 -- "$h/b18_audited"
done_testing
