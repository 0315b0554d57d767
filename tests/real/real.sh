# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: runs a real program untraced and traced, and compares what it says and, with an
# independent counter in the same run, what it allocated.
#
#	traced_as_untraced NAME COMMAND...
#
# $options are memtrack's.  Afterwards $work/plain.* and $work/traced.* are the two runs, and
# $work/traces/ holds the traces, $work/counts/c.PID the counts.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
needs_plain_build "it does not bear the counter in memtrack itself"
counter=$(cd "$testbin/tools" && pwd)/counter.so
options='--no-report'
input=/dev/null

traced_as_untraced()
{
	name=$1
	shift
	run_plain "$@"
	run_traced "$@"
	is "$(cat "$work/traced.status")" "$(cat "$work/plain.status")" "$name: the same exit status"
	ok "$name: the same stdout" cmp "$work/plain.out" "$work/traced.out"
	ok "$name: the same stderr" cmp "$work/plain.err" "$work/traced.err"
	check_traces "$name"
}

run_plain()
{
	"$@" <"$input" >"$work/plain.out" 2>"$work/plain.err"
	echo $? >"$work/plain.status"
}

run_traced()
{
	rm -rf "$work/traces" "$work/counts"
	mkdir "$work/traces" "$work/counts"
	chmod 1777 "$work/counts"	# some give up being root
	MEMTRACK_TEST_COUNTER=$work/counts/c LD_PRELOAD=$counter \
		"$memtrack" $options -o "$work/traces/t.mtk" "$@" \
		<"$input" >"$work/traced.out" 2>"$work/traced.err"
	echo $? >"$work/traced.status"
}

# Every trace agrees with the counter of its process.
check_traces()
{
	ok "$1: there is a trace" [ -f "$work/traces/t.mtk" ]
	for trace in "$work"/traces/*; do
		pid=$("$testbin/tools/trace_dump" --facts "$trace" | awk '$1 == "fact" && $2 == "pid" { print $3; exit }')
		counts_agree "$1${trace##*/t.mtk}" "$trace" "$work/counts/c.$pid"
	done
}

# A process that never allocated has no counts; one that was killed may have been in a call.
count_of()
{
	if [ -f "$1" ]; then
		"$testbin/tools/counter_print" "$1"
	fi
}

# check_family NAME LEAST: all traces of a -f run, LEAST at least, end well, lost nothing and agree
# with the counters of their processes.
check_family()
{
	agree=0 events=0
	: >"$work/wrong"
	for trace in "$work"/traces/*; do
		"$testbin/tools/trace_dump" --facts "$trace" >"$work/facts" 2>&1
		pid=$(awk '$1 == "fact" && $2 == "pid" { print $3; exit }' "$work/facts")
		count_of "$work/counts/c.$pid" >"$work/want" 2>&1
		"$testbin/tools/trace_dump" --counts "$trace" >"$work/got" 2>&1
		events=$((events + $(awk '{ n += $2 } END { print n + 0 }' "$work/got")))
		if ! grep -q '^end ' "$work/facts" || grep -q '^lost' "$work/facts"; then
			echo "$trace: not complete"
		elif cmp -s "$work/want" "$work/got" || grep -q '^end 2 9 ' "$work/facts"; then
			agree=$((agree + 1))
			continue
		else
			echo "$trace: $(grep '^fact command' "$work/facts")"
			diff -U9 "$work/want" "$work/got"
		fi >>"$work/wrong"
	done
	if [ -s "$work/wrong" ] || [ $agree -lt "$2" ]; then
		not_ok "$1: all traces are complete and as counted" "$agree traces
$(head -n 30 "$work/wrong")"
	else
		ok "$1: $agree traces with $events events are complete and as counted"
	fi
}

# same_runs NAME FILTER: what run_plain and run_traced left is the same, through a sed program.
same_runs()
{
	for stream in out err; do
		sed -E "${2:-}" "$work/plain.$stream" >"$work/plain.$stream.sed"
		sed -E "${2:-}" "$work/traced.$stream" >"$work/traced.$stream.sed"
		ok "$1: the same std$stream" cmp "$work/plain.$stream.sed" "$work/traced.$stream.sed" ||
			diag "$(diff "$work/plain.$stream.sed" "$work/traced.$stream.sed" | head -n 10)"
	done
	is "$(cat "$work/traced.status")" "$(cat "$work/plain.status")" "$1: the same exit status"
}

# whole_stacks NAME PERCENT: so many of the events that have stacks have whole ones.
whole_stacks()
{
	share=$("$testbin/tools/trace_dump" "$work/traces/t.mtk" | awk '$1 == "event" && $8 != "-" {
		all++; whole += !/\.\.\.$/ } END { print all ? int(100 * whole / all) : 0 }')
	ok "$1: $share % of the stacks are whole" [ "$share" -ge "$2" ]
}

# report_names NAME PATTERN...: the report of the trace says these.
report_names()
{
	name=$1
	shift
	report=$("$memview" --report "$work/traces/t.mtk" 2>&1)
	for pattern; do
		like "$report" "$pattern" "$name: the report names '$pattern'"
	done
}

# counts_agree NAME TRACE COUNTS
counts_agree()
{
	"$testbin/tools/counter_print" "$3" >"$work/want" 2>&1
	"$testbin/tools/trace_dump" --counts "$2" >"$work/got" 2>&1
	if cmp -s "$work/want" "$work/got"; then
		ok "$1: all events and bytes, $(awk '{ n += $2; b += $3 } END { print n, "and", b }' "$work/got")"
	else
		not_ok "$1: events and bytes as counted" "$(diff -U99 "$work/want" "$work/got")"
	fi
}
