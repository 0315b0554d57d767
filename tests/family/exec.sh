#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: exec, vfork, posix_spawn, daemons: who is traced, who is not and why, and that no child
# can tell the difference.
. "${top_srcdir:-.}/tests/tap.sh"
. "${top_srcdir:-.}/tests/family/family.sh"

cc=${MEMTRACK_CC:-cc}
echo 'int main(void) { return 0; }' >nothing.c
$cc -o nothing nothing.c 2>/dev/null || skip_all "no compiler"

for follow in "" -f; do
	run $follow "$family" vfork 50
	is "$status:$(broken)" "0:" "vfork $follow: whole"
	is "$(count t.mtk 10):$(live t.mtk 32)" "500:50" "vfork $follow: the parent's heap, the children's blocks in it"
	run $follow "$family" spawn 5
	is "$status:$(broken):$(count t.mtk 10)" "0::50" "posix_spawn, system, popen $follow: the parent's blocks"
done
is "$(traces)" "$((1 + 5 * 4))" "with -f every program and shell has a trace"
is "$(facts t.mtk child)" "" "and nobody is left out"
is "$(for f in t.mtk.*; do facts "$f" end; done | awk '$2 != 4 && ($2 != 1 || $3)' | wc -l | tr -d ' ')" 0 \
	"each with its status"
run "$family" spawn 5
is "$(facts t.mtk "fact children-untraced")" "fact children-untraced 20" "without -f they are counted"
is "$(facts t.mtk child | awk '{ print $3 }' | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd " " -)" \
	"10sh 10true" "and named"

# The environment is the same whichever way, untraced and traced.
"$family" environment >native
for follow in "" -f; do
	run $follow "$family" environment
	is "$status:$(sort -u out)" "0:$(sort -u native | awk -v more="${follow:+2}" '{ print $1 + more }')" "environment $follow: the same for all"
	is "$(wc -l <out)" "$(wc -l <native)" "environment $follow: nine ways"
done

# One process, two images.
for follow in "" -f; do
	run $follow "$family" exec 40
	is "$status:$(traces):$(broken)" "0:1:" "exec $follow: one trace"
	is "$(count t.mtk 10):$(count t.mtk 77):$(facts t.mtk exec | wc -l | tr -d ' ')" "40:30:1" \
		"exec $follow: both images"
	is "$(facts t.mtk "\(thread\|exec\)" | awk '{ print $4 }' | paste -sd ":" -)" "family::exe" \
		"exec $follow: threads have the names of their image"
done
"$memview" --report t.mtk >report 2>&1
like "$(cat report)" "executed another program 1 time" "exec: the report says so"
like "$(cat report)" "leaked +0 blocks" "exec: what the old image had is not leaked"

# A daemon: memtrack waits for it; its parents' end is told as theirs.
run -f "$family" daemon 50
is "$status:$(traces):$(broken)" "0:3:" "a daemon has a trace, so has who made it"
is "$(counts 77 t.mtk.*)" "1x3 1x50" "the daemon's blocks"
last=$(facts t.mtk relative | awk '$6 == 1 && $7 == 5 { print $9 }')
is "$(count "$last" 77)" 50 "the first trace knows how the daemon ended, and where its trace is"
"$memview" --report t.mtk >report 2>&1
like "$(cat report)" "$(facts t.mtk "fact pid" | awk '{ print $3 }').* exited" "the report names the pid"
like "$(cat report)" "exit 5: $last" "and the daemon"
"$memview" --report "$last" >report 2>&1
like "$(cat report)" "$(facts "$last" "fact ppid" | awk '{ print $3 }')" "the daemon's report names its parent"

# Generations that only fork, and die while memtrack looks whether somebody is left.
run -f "$family" chain 400
is "$status:$(broken)" "0:" "a chain of forks: whole"
is "$(counts 77 t.mtk.*)" "1x50" "the last of them is waited for"

# Who cannot be traced. untraced NAME PROGRAM PATTERN [N]: three children execute it
untraced()
{
	P=$2 run -f "$family" run "${4:-0}"
	is "$status:$(broken):$(cat err)" "0::" "$1: runs, nothing on stderr"
	is "$(facts t.mtk child | grep -c ": .*$3")" 3 "$1: counted three times, with the reason"
}
if $cc -static -o static nothing.c 2>/dev/null; then
	untraced static ./static "statically linked"
else
	skip static "cannot be built here"
fi
if $cc -m32 -o narrow nothing.c 2>/dev/null; then
	untraced 32-bit ./narrow "32-bit"
else
	skip 32-bit "cannot be built here"
fi
cp nothing privileged
if [ "$(id -u)" = 0 ] && chown 65534 privileged && chmod 4755 privileged; then
	untraced setuid ./privileged setuid
else
	skip setuid "needs root"
fi
untraced "cleared environment" ./nothing "environment was cleared" 1
P=./nothing run -f "$family" run 0
is "$status:$(facts t.mtk child)" "0:" "none of them: nobody is left out, failed exec or not"
is "$(facts t.mtk relative | awk '{ print $2 }' | sort -u | wc -l | tr -d ' ')" 4 "all four have a trace"
done_testing
