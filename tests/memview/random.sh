#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: keys, clicks, answers and sizes at random do not crash memview, on traces of all sorts.
#
# 1,000 on each of three traces; with MEMTRACK_LONG=1 10,000 on each of all.  MEMTRACK_SEED=N repeats a run.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

count=1000 seed=1
[ -z "${MEMTRACK_LONG:-}" ] || count=10000 seed=$(date +%s)
seed=${MEMTRACK_SEED:-$seed}
diag "MEMTRACK_SEED=$seed"

# What may be written must not go anywhere.
mkdir -p "$work/.config/memview" "$work/here"
echo 'key export =' >"$work/.config/memview/config"
cd "$work/here" || exit 1

# storm NAME ARGUMENT...: a click on the key line can quit, then it starts again.
storm()
{
	name=$1 left=$count starts=0
	shift
	while [ "$left" -gt 0 ]; do
		view_start 100 30 "$@"
		view_sees shows 'DONE|LIVE' || diag "$(cat "$work/stderr")"
		ask "random $seed $left"
		left=$((left - ${view_answer:-$left}))
		seed=$((seed + 1)) starts=$((starts + 1))
		press C-g
		resize 100 30
		if [ "$left" -gt 0 ]; then
			ask "ended $((view_patience * 1000))"
			[ "$view_answer" = 0 ] || break
		fi
	done
	is "$left" 0 "$name: $count things done to it, $starts times started" ||
		diag "status $view_answer: $(tail -n 20 "$work/stderr")"
	press C-g '?'
	press C-g
	shows 'DONE|LIVE' "$name: it still draws"
	faultless "$name: all it sent was understood"
	press q
	ends 0 "$name: and ends as it should" || diag "$(tail -n 20 "$work/stderr")"
}

sh "$make_log" demo 50 >"$view_log"
sh "$make_log" hostile >"$work/hostile.log"
sh "$make_log" wrong >"$work/wrong.log"
storm "a log" "$view_log"
storm "hostile names" "$work/hostile.log"
storm "findings" "$work/wrong.log"
if [ "${MEMTRACK_LONG:-}" ]; then
	sh "$make_log" runtime >"$work/runtime.log"
	storm "the runtime's blocks" "$work/runtime.log"
	sh "$make_log" demo 20000 >"$work/large.log"
	storm "a large log" "$work/large.log"
	head -n 1 "$view_log" >"$work/one.log"
	storm "one allocation" "$work/one.log"
	storm "a growing log" -f "$work/large.log"
	# A line at a time, so that it grows as long as it is looked at.
	: >"$work/live.log"
	while read -r line; do printf '%s\n' "$line"; done <"$work/large.log" >>"$work/live.log" &
	writer=$!
	storm "a log that grows" -f "$work/live.log"
	kill "$writer" 2>/dev/null
	if [ -x "$top_builddir/examples/leaky" ] && [ -f "$hook" ]; then
		"$memtrack" -q --free-stacks -o "$work/leaky.mtk" "$top_builddir/examples/leaky" >"$work/out" 2>&1
		storm "a trace" "$work/leaky.mtk"
		"$memtrack" -f -q --no-report -o - sh -c "ls; '$top_builddir/examples/leaky'; ls" \
			>"$work/family.mtk" 2>"$work/out"
		storm "several processes" "$work/family.mtk"
	else
		skip "traces" "memtrack or examples/leaky are not built"
	fi
fi
is "$(ls -A "$work/here")" "" "nothing was written"
done_testing
