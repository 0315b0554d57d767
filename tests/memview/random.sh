#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: keys, clicks, answers and sizes at random do not crash memview, on traces of all sorts.
#
# 1,000 on each of two traces; with MEMTRACK_LONG=1 10,000 on each of all.  MEMTRACK_SEED=N repeats a run.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

seed=${MEMTRACK_SEED:-$(date +%s)}
count=1000
[ -z "${MEMTRACK_LONG:-}" ] || count=10000
diag "MEMTRACK_SEED=$seed"

# What may be written must not go anywhere.
mkdir -p "$work/.config/memview" "$work/here"
echo 'key export =' >"$work/.config/memview/config"
cd "$work/here" || exit 1

# A click on the key line can quit: then it starts again.
storm()
{
	left=$count
	while [ "$left" -gt 0 ]; do
		view_start 100 30 "$2"
		shows 'DONE|LIVE' "$1: it opens" >"$work/opens" || cat "$work/opens"
		ask "random $seed $left"
		left=$((left - ${view_answer:-$left}))
		seed=$((seed + 1))
		press C-g
		resize 100 30
		if [ "$left" -gt 0 ]; then
			ask "ended $((view_patience * 1000))"
			[ "$view_answer" = 0 ] || break
		fi
	done
	is "$left" 0 "$1: $count things done to it" || diag "status $view_answer: $(tail -n 20 "$work/stderr")"
	shows '(DONE|LIVE) .*' "$1: it still draws"
	faultless "$1: all it sent was understood"
	press C-g q
	press q
	ends 0 "$1: and ends as it should" || diag "$(tail -n 20 "$work/stderr")"
}

sh "$make_log" demo 50 >"$view_log"
sh "$make_log" hostile >"$work/hostile.log"
storm "a log" "$view_log"
storm "hostile names" "$work/hostile.log"
if [ "${MEMTRACK_LONG:-}" ]; then
	sh "$make_log" runtime >"$work/runtime.log"
	storm "the runtime's blocks" "$work/runtime.log"
	sh "$make_log" demo 20000 >"$work/large.log"
	storm "a large log" "$work/large.log"
	head -n 1 "$view_log" >"$work/one.log"
	storm "one allocation" "$work/one.log"
	for program in leaky churn freelist; do
		[ -x "$top_builddir/examples/$program" ] && [ -f "$hook" ] || continue
		timeout 10 "$memtrack" -q --free-stacks --duration 2 -o "$work/$program.mtk" "$top_builddir/examples/$program" \
			>"$work/out" 2>&1
		storm "a trace of $program" "$work/$program.mtk"
	done
fi
is "$(ls -A "$work/here")" "" "nothing was written"
done_testing
