# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: twenty million events: none is lost, and neither the target nor memtrack grows with them.
. "${top_srcdir:-.}/tests/real/real.sh"

volume=$testbin/real/volume
plain=$("$volume" 10000000)

mkdir "$work/traces" "$work/counts"
MEMTRACK_TEST_COUNTER=$work/counts/c LD_PRELOAD=$counter \
	"$memtrack" --no-report -o "$work/traces/t.mtk" "$volume" 10000000 >"$work/traced" &
launcher=$!
highest=0
while [ -d "/proc/$launcher" ] && ! grep -q '^State:.Z' "/proc/$launcher/status"; do
	now=$(awk '/^RssAnon:/ { print $2 }' "/proc/$launcher/status")
	[ "${now:-0}" -le "$highest" ] || highest=$now
	sleep 0.2
done 2>/dev/null
wait $launcher
is $? 0 "exits 0"
check_traces volume
ok "all twenty million" [ "$("$testbin/tools/trace_dump" --counts "$work/traces/t.mtk" |
	awk '{ n += $2 } END { print n }')" -ge 20000000 ]
growth=$(($(cat "$work/traced") - plain))
ok "the target grew by $growth KiB, less than 8 MiB" [ "$growth" -lt 8192 ]
ok "memtrack had $highest KiB of its own at most, less than 128 MiB" [ "$highest" -lt 131072 ]
done_testing
