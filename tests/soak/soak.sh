# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: whatever the soaking program does, its traces hold exactly what it counted itself.
#
# MEMTRACK_SOAK=MINUTES goes on for so long; MEMTRACK_SOAK_SEED=N repeats a run that failed.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
need pgrep
soak=$testbin/soak/soak
compare=$testbin/soak/compare
dump=$testbin/tools/trace_dump
seed=${MEMTRACK_SOAK_SEED:-$(date +%s)}
long=${MEMTRACK_SOAK:+yes}
milliseconds=${MEMTRACK_SOAK:+3000}
: "${milliseconds:=300}"
ulimit -c 0

# launch MEMTRACK-OPTIONS SOAK-OPTIONS: in the background; $launcher is its pid.
launch()
{
	rm -rf "$work/run"
	mkdir "$work/run"
	# shellcheck disable=SC2086
	SOAK_SHADOW=$work/run/shadow SOAK_MIN_SIZE=$min_size SOAK_HEAP=$heap \
		"$memtrack" -q --no-report $1 -o "$work/run/trace" "$soak" -s "$seed" $2 \
		"$testbin/soak" >"$work/out" 2>"$work/err" &
	launcher=$!
}

pid_of()
{
	"$dump" --facts "$1" | awk '$1 == "fact" && $2 == "pid" { print $3; exit }'
}

# judge NAME COMPARE-OPTIONS TRACES-AT-LEAST: every trace against the count of its process.
judge()
{
	traces=0
	: >"$work/wrong"
	for trace in "$work"/run/trace*; do
		[ -f "$trace" ] || continue
		traces=$((traces + 1))
		pid=$(pid_of "$trace")
		[ -n "$pid" ] || [ "$2" != -p ] || continue	# ended before the first chunk
		# shellcheck disable=SC2086
		"$compare" $2 "$trace" "$work/run/shadow.$pid" >"$work/compared" 2>&1 || {
			echo "$trace, process $pid:"
			cat "$work/compared"
		} >>"$work/wrong"
	done
	if [ -s "$work/wrong" ] || [ "$traces" -lt "$3" ]; then
		not_ok "$1: as counted, seed $seed" "$traces traces
$(head -n 30 "$work/wrong")"
		[ -z "$long" ] || cp -r "$work/run" "${TMPDIR:-/tmp}/memtrack-soak.$seed"
	else
		ok "$1: as counted, seed $seed, $traces traces, $(cat "$work/compared")"
	fi
}

# soaked NAME MEMTRACK-OPTIONS SOAK-OPTIONS COMPARE-OPTIONS TRACES-AT-LEAST
soaked()
{
	launch "$2" "-t $milliseconds $3"
	wait $launcher
	is $? 0 "$1: exits 0, seed $seed"
	is "$(cat "$work/out" "$work/err")" "" "$1: nothing is wrong in the program"
	judge "$1" "$4" "$5"
}

# The launcher stops for a moment, so that the program has to wait; and for so long that it
# goes on and counts what is lost.
stopped()
{
	launch "-d 0 --buffer-size 16K" "-t $((milliseconds + 2500)) -n 10000000"
	sleep 0.3
	kill -STOP $launcher
	sleep "$1"
	kill -CONT $launcher
	wait $launcher
	is $? 0 "launcher stopped for $1 s: exits 0"
	is "$(cat "$work/out")" "" "launcher stopped for $1 s: nothing is wrong in the program"
	judge "launcher stopped for $1 s" "$2" 1
}

# How long after the start somebody dies.
moment()
{
	awk -v seed="$seed" -v most="$1" 'BEGIN { srand(seed); print 0.1 + rand() * most }'
}

launcher_killed()
{
	launch "$1" "-t $((milliseconds + 300))"
	sleep "$(moment 0.3)"
	kill -KILL $launcher
	wait $launcher 2>/dev/null
	tries=0
	while pgrep -f "$soak -s $seed" >/dev/null && [ $((tries += 1)) -lt 300 ]; do
		sleep 0.1
	done
	ok "launcher killed: the program came to its end" [ $tries -lt 300 ]
	is "$(cat "$work/out" "$work/err")" "" "launcher killed: nothing is wrong in the program"
	judge "launcher killed" -p 0
}

target_killed()
{
	launch "$1" "-t 20000"
	sleep "$(moment 0.5)"
	kill -KILL "$(pgrep -P $launcher)"
	wait $launcher
	is $? 137 "program killed: so ends the launcher"
	judge "program killed" "-k 8" 1
}

all_modes()
{
	min_size=0 heap=
	soaked "stacks" "" "-c 1" "" 1
	soaked "no stacks, followed" "-d 0 -f" "-c 4 -x" "" 1
	soaked "stacks, followed" "-f" "-c 4" "" 3
	soaked "handlers inside calls" "-f" "-w -c 2" "" 2
	soaked "handlers inside calls, stacks of frees" "--free-stacks" "-w -x" "" 1
	heap=libc
	soaked "libc's heap" "-f" "-c 3 -x" "" 2
	heap=
	soaked "small buffers" "-f --buffer-size 8K" "-c 2 -j 16" "" 1
	soaked "dropping" "--drop --buffer-size 8K" "" -d 1
	soaked "sampled" "--sample 4K -f" "-c 2 -x" "" 1
	soaked "sampled, handlers inside calls" "--sample 4K" "-w" "" 1
	min_size=300
	soaked "from 300 bytes" "--min-size 300 -f" "-c 2" "" 1
	min_size=0
	soaked "no findings" "--no-findings" "-c 1" "" 1
	launcher_killed ""
	target_killed ""
	if [ -n "$long" ]; then
		stopped 0.4 -d
		stopped 2 -d
	fi
}

end=$(($(date +%s) + 60 * ${MEMTRACK_SOAK:-0}))
all_modes
while [ "$(date +%s)" -lt $end ]; do
	seed=$((seed + 1))
	all_modes
done
done_testing
