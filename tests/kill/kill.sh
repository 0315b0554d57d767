# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what the kill tests share.  A few rounds each; MEMTRACK_LONG=1 makes them fifty.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
ticker=$testbin/kill/ticker
counter=$(cd "$testbin/tools" && pwd)/counter.so
rounds=4
[ -z "${MEMTRACK_LONG:-}" ] || rounds=50

# pause ROUND FROM TO: waits a time between FROM and TO milliseconds that differs by round.
pause()
{
	sleep "$(awk -v seed="$1$$" -v from="$2" -v to="$3" 'BEGIN { srand(seed)
		printf "%.3f", (from + rand() * (to - from)) / 1000 }')"
}

# mallocs TRACE: the number of mallocs in it.
mallocs() { "$testbin/tools/trace_dump" --counts "$1" | awk '$1 == "malloc" { print $2 }'; }

# await_file FILE: until it has something in it, ten seconds at most.
await_file()
{
	tries=0
	until [ -s "$1" ] || [ $((tries += 1)) -gt 200 ]; do
		sleep 0.05
	done
}

# await_end PID SECONDS: until the process is gone (a zombie is); fails when it is not.
await_end()
{
	tries=0
	while [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
		[ $((tries += 1)) -le $(($2 * 20)) ] || return 1
		sleep 0.05
	done
}

# now: milliseconds, as ticker counts them.
now() { date +%s%3N; }

# committed PROGRESS MS: the mallocs that were done at that time.
committed() { awk -v at="$2" '$1 <= at { n = $2 } END { print n + 0 }' "$1"; }

# opens TRACE: memview and trace_dump read it to the end, which may be missing (exit status 1).
opens()
{
	"$testbin/tools/trace_dump" --facts "$1" >"$work/.dump" 2>&1 || { cat "$work/.dump"; return 1; }
	[ ! -x "$memview" ] || "$memview" --report "$1" >"$work/.report" 2>&1 || [ $? -eq 1 ] || { cat "$work/.report"; return 1; }
}

# target_of PROGRESS: the pid of the ticker that writes there.
target_of() { awk '{ print $3; exit }' "$1"; }
