# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: SIGKILL of the launcher: the target goes on, the file has all but the last 250 ms.
. "${top_srcdir:-.}/tests/kill/kill.sh"

round=0
while [ $((round += 1)) -le $rounds ]; do
	rm -rf "$work/t"
	mkdir "$work/t"
	"$memtrack" --no-report -o "$work/t/mtk" "$ticker" 3000 "$work/t/progress" \
		>"$work/t/out" 2>"$work/t/err" &
	launcher=$!
	await_file "$work/t/progress"
	target=$(target_of "$work/t/progress")
	pause $round 50 1500
	killed=$(now)
	kill -9 $launcher
	wait $launcher 2>/dev/null
	ok "round $round: the target survives" [ -d "/proc/$target" ]
	ok "round $round: the file opens" opens "$work/t/mtk"
	want=$(committed "$work/t/progress" $((killed - 300)))
	got=$(mallocs "$work/t/mtk")
	ok "round $round: ${got:-0} mallocs are in it, $want were made 300 ms before" [ "${got:-0}" -ge "$want" ]
	ok "round $round: the target ends by itself" await_end "$target" 10
	like "$(cat "$work/t/out")" '^done [0-9]+$' "round $round: and has done all its work"
	ok "round $round: it was not held up" awk -v p="$work/t/progress" 'BEGIN {
		while ((getline < p) > 0) { split($0, f, " "); if (before && f[1] - before > 1500) bad = 1
			before = f[1] } exit bad }'
	is "$(cat "$work/t/err")" "" "round $round: nothing on stderr"
done
done_testing
