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
