#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: fork in all its forms: the parent's trace is exactly its own, and with -f every child has one.
. "${top_srcdir:-.}/tests/tap.sh"
. "${top_srcdir:-.}/tests/family/family.sh"

# check NAME TRACES EXPECTED-PARENT EXPECTED-CHILDREN: after run; blocks of 10 in t.mtk, of 77 in the others
check()
{
	is "$status:$(traces)" "0:$2" "$1: $2 traces"
	is "$(broken)" "" "$1: all whole"
	is "$(count t.mtk 10)" "$3" "$1: the parent's blocks"
	[ $# -lt 4 ] || is "$(counts 77 t.mtk.*)" "$4" "$1: the children's"
}

run "$family" leak 1000
check "without -f" 1 1000
is "$(count t.mtk 1048576):$(live t.mtk 10)" "0:1000" "without -f: nothing of the children's"
is "$(facts t.mtk child | grep -c '(fork)$')" 7 "without -f: seven named"
run -f "$family" leak 1000
check "with -f" 8 1000
is "$(count t.mtk 1048576):$(live t.mtk 10)" "0:1000" "with -f: nothing of the children's"
is "$(counts 1048576 t.mtk.*)" "7x1" "with -f: 1 MiB in each of theirs"

run "$family" thread
check "fork in a thread, without -f" 1 10
run -f "$family" thread
check "fork in a thread" 2 10 "1x20"
run "$family" raw 5
check "the bare system call, without -f" 1 200
run -f "$family" raw 5
check "the bare system call" 6 200 "5x20"
for f in t.mtk.*; do
	is "$(facts "$f" thread | awk '{ print $3 }')" "${f#t.mtk.}" "its thread has the child's own tid"
done
run -f "$family" vm 10
check "shared memory" 1 100
run -f "$family" busy 10
check "threads allocate meanwhile" 11 "$(count t.mtk 10)" "10x20"
is "$("$dump" t.mtk | awk '$4 == "malloc" && $5 >= 10 && $5 <= 12' | wc -l | tr -d ' ')" "$(cat out)" \
	"threads allocate meanwhile: every block of theirs"
run "$family" busy 10
is "$status:$("$dump" t.mtk | awk '$4 == "malloc" && $5 >= 10 && $5 <= 12' | wc -l | tr -d ' ')" \
	"0:$(cat out)" "threads allocate meanwhile, without -f: the same"

# forked MODE OPTION...: children that return from the handler into their parent's call, which is not theirs
forked()
{
	mode=$1
	shift
	run "$@" "$family" "$mode" 15
	is "$status:$(broken)" "0:" "fork in a handler, $mode $*: whole"
	is "$(count t.mtk 10)" "$(cat out)" "fork in a handler, $mode $*: the parent's blocks"
	is "$("$dump" t.mtk | awk '$1 == "event" { n[$6] += $5 == "-" ? -1 : 1; if (n[$6] < 0 || n[$6] > 1) bad++ }
		END { print bad + 0 }')" 0 "fork in a handler, $mode $*: they alternate"
}
forked handler
forked handler -f
forked deep_handler
forked deep_handler --free-stacks
forked deep_handler -f

run -f "$family" killed 15
is "$status:$(broken)" "0:" "killed children: whole"
is "$(count t.mtk 10)" 150 "killed children: the parent's blocks"
# who was waited for before memtrack could look has 4: nobody knows
is "$(for f in t.mtk.*; do facts "$f" end; done | awk '$2 != 4 && ($2 != 2 || $3 != 9)' | wc -l | tr -d ' ')" 0 \
	"killed children: none says that it exited"
run -f "$family" deep 50
is "$status:$(traces):$(broken)" "0:51:" "forks of forks, fifty deep"
is "$(counts 77 t.mtk*)" "51x10" "forks of forks: ten blocks in each"
is "$(facts t.mtk relative | awk '{ print $2 }' | sort -u | wc -l | tr -d ' ')" 50 "the first one's trace names all"
deepest=$(facts t.mtk relative | awk '$2 >= n && $9 { n = $2; file = $9 } END { print file }')
like "$(facts "$deepest" "fact parent-trace")" ' t\.mtk\.[0-9]+$' "the last one's names its parent's"
is "$(for f in t.mtk.*; do facts "$f" "fact parent-trace"; done | wc -l | tr -d ' ')" 50 "as all do but the first"
like "$(facts "$deepest" "fact root")" "^fact root-trace t\.mtk$" "and the first one's"

# Few regions at a time, because of the limit of the address space: they are used again.
ulimit -v 2500000 2>/dev/null || skip_rest=1
if [ -z "${skip_rest:-}" ]; then
	run -f sh -c 'i=0; while [ $i -lt 40 ]; do ( : ); i=$((i + 1)); done'
	is "$status:$(traces):$(broken)" "0:41:" "regions are used again"
	is "$(facts t.mtk child)" "" "and nobody is left out"
	run -f "$family" crowd 8
	is "$status:$(broken)" "0:" "more at once than there are regions: they run"
	is "$(($(traces) - 1 + $(facts t.mtk child | grep -c 'processes of its family at once')))" 8 \
		"and who is not traced is counted, with the reason"
fi
done_testing
