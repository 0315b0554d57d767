# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: SIGKILL of the viewer: the target goes on, the file that memtrack tees has everything.
. "${top_srcdir:-.}/tests/kill/kill.sh"
needs_plain_build "it does not bear the counter in memtrack itself"

[ -x "$memview" ] || skip_all "memview is not built"

round=0
while [ $((round += 1)) -le $rounds ]; do
	rm -rf "$work/t"
	mkdir "$work/t"
	port=$((20000 + ($$ + round * 131) % 20000))
	MEMTRACK_TEST_COUNTER=$work/t/c LD_PRELOAD=$counter \
		"$memtrack" --no-report --port $port -o "$work/t/mtk" "$ticker" 1500 "$work/t/progress" \
		>"$work/t/out" 2>"$work/t/err" &
	launcher=$!
	sleep 0.3
	ok "round $round: the target waits for a viewer" [ ! -s "$work/t/progress" ]
	"$memview" --report -o "$work/t/saved" ":$port" >"$work/t/report" 2>&1 &
	viewer=$!
	await_file "$work/t/progress"
	target=$(target_of "$work/t/progress")
	pause $round 0 1200
	kill -9 $viewer 2>/dev/null
	wait $viewer 2>/dev/null
	wait $launcher
	is $? 7 "round $round: memtrack exits like the target"
	like "$(cat "$work/t/out")" '^done [0-9]+$' "round $round: the target did all its work"
	ok "round $round: the file opens" opens "$work/t/mtk"
	"$testbin/tools/counter_print" "$work/t/c.$target" >"$work/t/want"
	"$testbin/tools/trace_dump" --counts "$work/t/mtk" >"$work/t/got"
	is "$(diff "$work/t/want" "$work/t/got")" "" "round $round: and has every event"
	ok "round $round: what the viewer had saved opens" opens "$work/t/saved"
done
done_testing
