#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a paused recording leaves out new blocks and their ends, and nothing else: the live blocks of the trace
# are those that the program made in between, whatever the threads were doing.
. "${top_srcdir:-.}/tests/tap.sh"
need python3
cd "$work" || exit 1

phases=$testbin/launcher/phases
driver=$top_srcdir/tests/launcher/phases.py
dump=$testbin/tools/trace_dump
rounds=${MEMTRACK_LONG:+200}
rounds=${rounds:-6}
PORT_FILE=$work/err
export PORT_FILE

# pauses NAME MODE HOW COMMAND...
pauses()
{
	pauses_name=$1 pauses_mode=$2 pauses_how=$3
	shift 3
	rm -f "$work"/trace* "$work/err"
	timeout -k 10 300 python3 "$driver" "$pauses_mode" "$rounds" "$pauses_how" "$memtrack" -- "$@" >account 2>driver
	is "$?:$(cat driver)" "0:" "$pauses_name: the program runs"
}

# agrees NAME MODE [FILE [SESSION]]
agrees()
{
	agrees_name=$1 agrees_mode=$2
	shift 2
	"$dump" "${@:-trace.mtk}" >events
	is "$(python3 "$top_srcdir/tests/launcher/phases_check.py" "$agrees_mode" events account 2>&1)" "" \
		"$agrees_name: the live blocks are the program's"
	is "$("$memview" --report --json "${1:-trace.mtk}" | grep -c '"findings":{"total":0,')" 1 "$agrees_name: nothing is found"
}

quiet="-q --no-report -o trace.mtk"
# shellcheck disable=SC2086
{
	pauses "verbs" exact verb "$memtrack" $quiet "$phases" 4
	agrees "verbs" exact
	like "$("$memview" --report trace.mtk)" "Recording was paused $rounds times" "the report tells of the pauses"
	pauses "one thread, stacks of frees" exact verb "$memtrack" $quiet --free-stacks "$phases" 1
	agrees "one thread, stacks of frees" exact
	pauses "without a shadow" exact verb "$memtrack" $quiet --no-findings "$phases" 4
	agrees "without a shadow" exact
	pauses "in the midst of calls" free verb "$memtrack" $quiet "$phases" 4
	agrees "in the midst of calls" free
	pauses "a child" exact verb "$memtrack" $quiet -f "$phases" 3 fork
	agrees "a child" exact trace.mtk.*
	pauses "a sample" exact verb "$memtrack" $quiet --sample 100000 "$phases" 2
	exact=$("$memview" --report --json trace.mtk | sed -n 's/.*"allocated exactly":{"count":\([0-9]*\).*/\1/p')
	made=$(sed -n 's/^made //p' account)
	ok "a sample counts what was made in a pause" test "$((exact - made))" -ge 0 -a "$((exact - made))" -lt 100
}
pauses "a viewer" exact port sh -c "exec '$memtrack' --no-report --port 0 -o trace.mtk '$phases' 4 2>err"
agrees "a viewer" exact
pauses "a stream of a family" exact port sh -c \
	"exec '$memtrack' -f --no-wait --no-report --port 0 -o trace.mtk '$phases' 2 fork 2>err"
agrees "a stream of a family" exact trace.mtk 1
pauses "a text log" exact verb "$memtrack" -q --format text -o trace.txt "$phases" 4
awk -f "$top_srcdir/tests/tools/text_dump.awk" trace.txt >events
sed -n 's/^# memtrack \(paused\|resumed\) ts=\([0-9]*\) unrecorded=\([0-9]*\),\([0-9]*\)/pause \2 \1 \3 \4/p' trace.txt |
	sed 's/ paused / 1 /; s/ resumed / 0 /' >>events
is "$(python3 "$top_srcdir/tests/launcher/phases_check.py" exact events account 2>&1)" "" \
	"a text log: the live blocks are the program's"
like "$("$memview" --report trace.txt)" "Recording was paused $rounds times" "a text log: so says the report"

if "$memtrack" -q --no-report --pid $$ --duration 0.01 -o probe.mtk 2>probe; then
	for how in dlopen map; do
		ATTACH="--inject $how -o trace.mtk --no-report" pauses "attached, $how" exact verb "$phases" 4
		agrees "attached, $how" exact
	done
else
	diag "no attaching here: $(cat probe)"
fi
done_testing
