# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: how bench/run measures: one run in one mode, interleaved rounds of modes, the independent count.
# Each prints lines of the results file, whose columns are those of bench/columns.
#
# Modes:	full[:DEPTH]	memtrack, 64 frames or DEPTH
#		free		memtrack --free-stacks
#		none		memtrack -d 0
#		raw, default	heaptrack --raw, heaptrack
#		naive, buffered	bench/naive.c, a write for each event, or for 4096 bytes
#		stacks[:DEPTH]	buffered, with the stacks of glibc's backtrace()

# tracer MODE: sets what is put before the program.
tracer()
{
	hook=$build/memtrack output=$work/output
	case $1 in
	plain) set -- ;;
	full) set -- "$hook" --no-report -o "$output" ;;
	full:*) set -- "$hook" --no-report -d "${1#*:}" -o "$output" ;;
	free) set -- "$hook" --no-report --free-stacks -o "$output" ;;
	none) set -- "$hook" --no-report -d 0 -o "$output" ;;
	raw) set -- heaptrack $record_only --raw -o "$output" ;;
	default) set -- heaptrack $record_only -o "$output" ;;
	naive) set -- env NAIVE_OUTPUT="$output" NAIVE_BUFFER=0 LD_PRELOAD="$build/bench/naive.so" ;;
	buffered) set -- env NAIVE_OUTPUT="$output" LD_PRELOAD="$build/bench/naive.so" ;;
	stacks | stacks:*)
		depth=${1#stacks} depth=${depth#:}
		set -- env NAIVE_OUTPUT="$output" NAIVE_DEPTH="${depth:-64}" LD_PRELOAD="$build/bench/naive.so" ;;
	*) echo "bench/run: no such mode: $1" >&2; exit 2 ;;
	esac
	tracer=$*	# no word of it has a blank: see bench/run
}

# once WORKLOAD SCALE MODE: sets took to stopwatch's line and the bytes that were written, blanks for tabs.
once()
{
	tracer "$3"
	exe=$(workload_program "$1")
	exe=$(command -v "${exe:-$build/bench/${1%:*}}")
	rm -f "$output"*
	workload "$1" "$2" "$watch" "$exe" $tracer >"$work/took"
	took="$(cat "$work/took") $(find "$work" -name 'output*' -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')"
	case $took in
	0\ * | *" 125 "*) echo "bench/run: $1 did not run in mode $3" >&2 ;;
	esac
}

# rounds SET WORKLOAD SCALE ROUNDS MODE...: after a warm-up, ROUNDS times all modes, with untraced runs between,
# so that each has one beside it: before it and after it by turns, for every second round runs backwards, and
# each begins with another mode.
rounds()
{
	set=$1 workload=$2 scale=$3 last=$4
	shift 4
	[ $# -gt 0 ] || return 0
	once "$workload" "$scale" plain
	round=0
	while [ $((round += 1)) -le "$last" ]; do
		order=$(printf '%s\n' "$@" | if [ $((round % 2)) = 0 ]; then tac; else cat; fi)
		# shellcheck disable=SC2086
		round_run $order
		mode=$1
		shift
		set -- "$@" "$mode"
	done
}

# round_run MODE...: untraced, mode, mode, untraced, mode, mode, untraced
round_run()
{
	while [ $# -gt 0 ]; do
		once "$workload" "$scale" plain
		plain=$took
		once "$workload" "$scale" "$1"
		time_line "$1" "$took"
		shift
		[ $# -gt 0 ] || break
		once "$workload" "$scale" "$1"
		waiting=$took
		once "$workload" "$scale" plain
		plain=$took
		time_line "$1" "$waiting"
		shift
	done
}

time_line()
{
	read -r load _ </proc/loadavg
	echo "time $set $workload $1 $scale $round $2 $plain $load" | tr ' ' '\t'
}

# counted WORKLOAD SCALE: a run with the counter behind the hook: what it counted, what the trace of the same
# run holds, what was lost, and the bytes of the trace.
counted()
{
	rm -f "$work"/counter.* "$work/counted"*
	exe=$(workload_program "$1")
	exe=$(command -v "${exe:-$build/bench/${1%:*}}")
	workload "$1" "$2" "$watch" "$exe" env MEMTRACK_TEST_COUNTER="$work/counter" LD_PRELOAD="$build/tests/tools/counter.so" \
		"$build/memtrack" --no-report -o "$work/counted" >"$work/took"
	dump=$build/tests/tools/trace_dump
	pid=$("$dump" --facts "$work/counted" | awk '$1 == "fact" && $2 == "pid" { print $3; exit }')
	made=$("$build/tests/tools/counter_print" "$work/counter.$pid" | awk '{ n += $2 } END { print n + 0 }')
	recorded=$("$dump" --counts "$work/counted" | awk '$1 != "lost" { n += $2 } END { print n + 0 }')
	lost=$("$dump" --facts "$work/counted" | awk '$1 == "lost" { n += $3 } END { print n + 0 }')
	printf 'made\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$made" "$recorded" "$lost" "$(wc -c <"$work/counted")"
	rm -f "$work/counted"*
}
