# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: SIGKILL of the target: everything that was committed is in the trace.
. "${top_srcdir:-.}/tests/kill/kill.sh"
needs_plain_build "it does not bear the counter in memtrack itself"

round=0
while [ $((round += 1)) -le $rounds ]; do
	rm -rf "$work/t"
	mkdir "$work/t"
	MEMTRACK_TEST_COUNTER=$work/t/c LD_PRELOAD=$counter \
		"$memtrack" --no-report -o "$work/t/mtk" "$ticker" 20000 "$work/t/progress" \
		>/dev/null 2>"$work/t/err" &
	launcher=$!
	await_file "$work/t/progress"
	pause $round 0 800
	target=$(target_of "$work/t/progress")
	kill -9 "$target"
	wait $launcher
	is $? 137 "round $round: memtrack exits like the target"
	ok "round $round: the trace opens" opens "$work/t/mtk"
	is "$(awk '$1 == "end" { print $2, $3 }' "$work/.dump")" "2 9" "round $round: it says: signal 9"
	"$testbin/tools/counter_print" "$work/t/c.$target" >"$work/t/want"
	"$testbin/tools/trace_dump" --counts "$work/t/mtk" >"$work/t/got"
	# Each of the two threads may have been between the real call and its record.
	is "$(awk 'NR == FNR { want[$1] = $2; next } { got[$1] = $2 }
		END { for (op in want) if (want[op] - got[op] > 2 || got[op] - want[op] > 2)
			print op, "counted", want[op], "traced", got[op] }' "$work/t/want" "$work/t/got")" \
		"" "round $round: all that was committed is there"
done
done_testing
