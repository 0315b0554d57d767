# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: one process, one log: fork, exec, children, and all the ways a process ends.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"

sizes() { awk -v size="$1" '$4 == size { n++ } END { print n + 0 }' "$work/events"; }
pids() { awk '{ print $1 }' "$work/events" | sort -u | wc -l | tr -d ' '; }

for depth in 0 8; do
	for buffer in 0 4096; do
		set -- MEMTRACK_STACK_DEPTH=$depth MEMTRACK_BUFFER_SIZE=$buffer
		v="depth $depth, buffer $buffer"

		alone "$@" -- "$programs/process" fork
		well_formed "fork, $v" causal
		is "$status $(cat "$work/out" | tr '\n' ' ')$(cat "$work/err")" "0 child 7 child 8 " "fork, $v: runs"
		is "$(sizes 1111) $(sizes 2222) $(pids)" "200 0 1" "fork, $v: the child writes nothing, the parent goes on"

		alone "$@" -- "$programs/process" vfork
		well_formed "vfork, $v"
		is "$status $(sizes 1111) $(pids)" "0 100 1" "vfork, $v: the log survives a child that closes descriptors"

		alone "$@" -- "$programs/process" exec
		well_formed "exec, $v"
		is "$status $(grep -c '^image 3' "$work/out")$(cat "$work/err")" "0 1" "exec, $v: runs"
		is "$(sizes 1000) $(sizes 1001) $(sizes 1002) $(sizes 1003) $(pids)" "30 30 30 30 1" \
			"exec, $v: the same process goes on with the same log, with an empty environment too"
		is "$(awk '$7 < last - 100000 { print } { last = $7 }' "$work/events")" "" "exec, $v: and the same clock"
		[ $depth = 0 ] || is "$(awk '$8 == 0 { print }' "$work/events" | head -n 1)" "" "exec, $v: and settings"

		alone "$@" -- "$programs/process" children
		well_formed "children, $v"
		is "$status $(tr '\n' ' ' <"$work/out")$(cat "$work/err")" "0 spawned 0 executed 0 system 256 " \
			"children, $v: run, and find nothing of the hook in their environment"
		is "$(sizes 1111) $(sizes 2222) $(pids)" "20 0 1" "children, $v: are not in the log"
	done
done

# A handler that forks in the midst of a call or of a flush: the child goes on with it.
for buffer in 0 4096; do
	alone MEMTRACK_STACK_DEPTH=16 MEMTRACK_BUFFER_SIZE=$buffer -- "$testbin/family/family" deep_handler 15
	well_formed "fork in a handler, buffer $buffer"
	is "$status $(sizes 10) $(sizes 11)" "0 $(cat "$work/out") $(cat "$work/out")" \
		"fork in a handler, buffer $buffer: the child writes nothing"
done

# A child that the program executes with a log of its own.
alone -- sh -c 'MEMTRACK_OUTPUT=$1.own LD_PRELOAD=$2 exec "$0" keep 4321' "$programs/process" "$log" "$hook"
is "$status $(grep -c 'size=4321 ' "$log.own") $(grep -c 'size=4321 ' "$log")" "0 20 0" \
	"an image that is given a log of its own writes that"

# LD_PRELOAD: other libraries stay, before and behind.
echo 'int other_is_there;' >"$work/other.c"
if ${MEMTRACK_CC:-cc} -shared -fPIC -o "$work/other.so" "$work/other.c"; then
	for order in "$work/other.so:$hook" "$hook:$work/other.so" "$work/other.so $hook $work/other.so"; do
		timeout 60 env MEMTRACK_OUTPUT="$log" LD_PRELOAD="$order" sh -c 'echo "$LD_PRELOAD"; exit 4' >"$work/out"
		is "$? $(cat "$work/out")" "4 $(echo "$order" | sed "s|[: ]*${hook}[: ]*|:|; s|^:||; s|:\$||; s|\.so:$work|.so $work|; s|so\$|so|")" \
			"only the hook goes from LD_PRELOAD" ||
			diag "$(cat "$work/out")"
	done
fi

# The ways out
for way in return exit _exit _Exit quick_exit abort; do
	[ $way = abort ] && want=134 || want=3
	for buffer in 0 4096 1M; do
		alone MEMTRACK_BUFFER_SIZE=$buffer -- "$programs/process" leave $way
		well_formed "$way, buffer $buffer"
		is "$status $(sizes 3333)" "$want 5" "$way, buffer $buffer: the last lines are there"
	done
done
alone -- "$programs/process" late
well_formed "late"
is "$status $(sizes 4444)" "0 3" "allocations of destructors after main are there"
alone MEMTRACK_BUFFER_SIZE=0 -- "$programs/process" leave kill
well_formed "kill"
is "$status $(sizes 3333)" "137 5" "SIGKILL: nothing is lost without a buffer"

# An allocator in front of the hook: the heap is not seen, and that is said.
freelist=$(dirname "$testbin")/examples/freelist.so
for list in "$freelist:$hook" "$hook:$freelist"; do
	rm -f "$log"
	MEMTRACK_OUTPUT=$log LD_PRELOAD=$list "$programs/process" keep 4321 >"$work/out" 2>"$work/err"
	is $? 0 "${list##*/} is last: runs"
	case $list in
	"$hook"*)
		is "$(grep -c 'size=4321 ' "$log")$(cat "$work/err")" 20 "behind the hook: all is seen" ;;
	*)
		like "$(cat "$work/err")" '^memtrack.so: another malloc comes before .*first in LD_PRELOAD' "before it: said" ;;
	esac
done
done_testing
