# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a hundred million events in one session: none is lost, the memory of the target, of memtrack
# and of the report does not grow with them.  With MEMTRACK_LONG=1 only; prints its figures.  Arguments:
# which of its programs.
. "${top_srcdir:-.}/tests/real/real.sh"
[ -n "${MEMTRACK_LONG:-}" ] || skip_all "only with MEMTRACK_LONG=1"

cat >"$work/words.py" <<'END'
for run in range(40):
    words = {}
    for i in range(150000):
        words.setdefault("word%d" % (i * 7919 % 30011), []).append(str(i))
END

# highest PID FIELD: the highest of a field of /proc/PID/status until the process is gone, in KiB.
highest()
{
	most=0
	while [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status"; do
		value=$(awk -v field="$2:" '$1 == field { print $2 }' "/proc/$1/status")
		[ "${value:-0}" -le "$most" ] || most=$value
		sleep 0.1
	done 2>/dev/null
	echo "$most"
}

# child PID NAME: the child of a process, once it has executed the program.
child()
{
	for try in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		for pid in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
			[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$2" ] || { echo "$pid"; return; }
		done
		sleep 0.05
	done
}

# hundred NAME THREADS COMMAND...: the program, untraced and traced.
hundred()
{
	name=$1 threads=$2
	shift 2
	began=$(date +%s%3N)
	"$@" >/dev/null &
	bare=$(highest $! VmHWM)
	untraced=$(($(date +%s%3N) - began))

	rm -rf "$work/traces" "$work/counts"
	mkdir "$work/traces" "$work/counts"
	began=$(date +%s%3N)
	MEMTRACK_TEST_COUNTER=$work/counts/c LD_PRELOAD=$counter \
		"$memtrack" --no-report -o "$work/traces/t.mtk" "$@" >/dev/null &
	launcher=$!
	highest "$(child $launcher "$(basename "$1" | cut -c 1-15)")" VmHWM >"$work/target" &
	own=$(highest $launcher RssAnon)
	wait
	traced=$(($(date +%s%3N) - began))
	check_traces "$name"
	events=$("$testbin/tools/trace_dump" --counts "$work/traces/t.mtk" | awk '{ n += $2 } END { print n }')
	ok "$name: $events events" [ "$events" -ge 100000000 ]
	grown=$(($(cat "$work/target") - bare)) allowed=$((8192 + 4352 * threads))
	ok "$name: the target has $grown KiB more than without, not above $allowed" [ "$grown" -le "$allowed" ]
	ok "$name: memtrack has $own KiB of its own, less than 64 MiB" [ "$own" -lt 65536 ]
	bytes=$(wc -c <"$work/traces/t.mtk")
	began=$(date +%s%3N)
	"$testbin/hazards/peak_rss" "$work/rss" "$memview" --report "$work/traces/t.mtk" >"$work/report"
	report=$(($(date +%s%3N) - began))
	ok "$name: the report takes $(cat "$work/rss") KiB, less than 512 MiB" [ "$(cat "$work/rss")" -lt 524288 ]
	diag "$name: $untraced ms untraced, $traced ms traced with the counter, $bytes bytes, report after $report ms"
}

export PYTHONMALLOC=malloc
for program in ${*:-volume crossing python}; do
	case $program in
	volume) hundred volume 2 "$testbin/real/volume" 50000000 ;;
	crossing) hundred crossing 4 "$top_builddir/bench/crossing" 50000000 ;;
	python) ! [ -x /usr/bin/python3 ] || hundred python 1 "$(readlink -f /usr/bin/python3)" "$work/words.py" ;;
	esac
done
done_testing
