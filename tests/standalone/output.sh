# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: how the log is written: buffers, full disks, closed pipes, foreign descriptors.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"

notice() { cat "$work/err"; }

# MEMTRACK_BUFFER_SIZE
for size in 0 1 200 4096 64K 1M 64M; do
	alone MEMTRACK_BUFFER_SIZE=$size -- "$programs/workers" cross 4 500
	well_formed "buffer $size" causal
	wc -l <"$log" >>"$work/line_counts"
done
# Thread start and stdio differ by nothing: every size has the same lines.
is "$(sort -u "$work/line_counts" | wc -l)" 1 "any buffer size gives the same number of lines"

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	# writes SIZE: of the log, number and largest.
	writes()
	{
		timeout 60 strace -f -o "$work/trace" -e trace=write -E MEMTRACK_OUTPUT="$log" \
			-E MEMTRACK_BUFFER_SIZE="$1" -E LD_PRELOAD="$hook" "$programs/workers" sizes
		awk '/write\([0-9]+, "\[memtrack\]/ { n++; if ($NF > most) most = $NF } END { print n + 0, most + 0 }' \
			"$work/trace"
	}
	is "$(writes 0 | cut -d' ' -f1)" "$(wc -l <"$log")" "MEMTRACK_BUFFER_SIZE=0: a write for each event"
	writes 1000 >"$work/writes"
	read -r number most <"$work/writes"
	ok "1000: no write is larger ($most)" [ "$most" -le 1000 ]
	ok "and few are smaller ($number)" [ "$number" -le $(($(wc -c <"$log") / 700 + 1)) ]
	writes 64K >"$work/writes"
	is "$(cut -d' ' -f1 "$work/writes")" 1 "64K: one write at the end"

	timeout 60 strace -f -o "$work/trace" -E MEMTRACK_OUTPUT="$log" -E MEMTRACK_STACK_DEPTH=8 \
		-E LD_PRELOAD="$hook" "$programs/workers" cross 2 500
	is "$(sed -n '/openat.*\/log"/,/exit_group/p' "$work/trace" | sed -n '/\[memtrack\]/,$p' |
		grep -oE '^[0-9]+ +[a-z_0-9]+' | awk '{ print $2 }' | sort -u |
		grep -vxE 'write|fstat|futex|rt_sigprocmask|prctl|mmap|munmap|mprotect|brk|clone3|clone|exit|exit_group|madvise|set_robust_list|rseq|rt_sigaction|getpid|newfstatat|exited|resumed|readlinkat')" \
		"" "while it runs, the hook makes no call but write, fstat, futex and rt_sigprocmask"
else
	skip "the writes that buffer sizes make" "strace is not installed or may not trace"
fi

# What cannot be written ends the recording with one line, and not the program.
alone MEMTRACK_OUTPUT=/dev/full -- "$programs/process" keep 1111
is "$status $(notice)" "0 memtrack.so: cannot write the log: No space left on device; recording has ended" "/dev/full"

for limit in 20001 4096 100; do
	alone -- "$programs/process" limit $limit
	is "$status $(cat "$work/out")" "0 signals 0" "file size limit $limit: no SIGXFSZ"
	is "$(notice)" "memtrack.so: cannot write the log: File too large; recording has ended" "limit $limit: one line"
	well_formed "limit $limit: cut back to whole lines"
	alone MEMTRACK_STACK_DEPTH=12 -- "$programs/process" limit $limit
	well_formed "limit $limit with frames"
done

mkfifo "$work/pipe"
head -c 3000 "$work/pipe" >/dev/null &
alone MEMTRACK_OUTPUT="$work/pipe" -- "$programs/process" limit 100000000
is "$status $(cat "$work/out")" "0 signals 0" "a pipe whose reader leaves: no SIGPIPE"
is "$(notice)" "memtrack.so: cannot write the log: the reader is gone; recording has ended" "one line"
wait

# A slow reader of a full pipe makes the program wait; nothing is lost.
{ sleep 1; cat "$work/pipe" >"$work/slow"; } &
alone MEMTRACK_OUTPUT="$work/pipe" -- "$programs/process" limit 100000000
wait
is "$status $(grep -c 'size=1111 ' "$work/slow")" "0 2000" "a slow reader gets it all"

# Programs that close what they do not know, and use the numbers.
for depth in 0 8; do
	rm -f "$work/mine"
	alone MEMTRACK_STACK_DEPTH=$depth -- "$programs/process" close "$work/mine"
	is "$status" 0 "a program that closes all descriptors runs"
	is "$(sort -u "$work/mine")" mine "and its files have only what it wrote"
	is "$(notice)" "memtrack.so: the program closed the log's descriptor; recording has ended" "one line says why it ends"
done

# A program that gives up all system calls but its own.
for depth in 0 8; do
	alone MEMTRACK_STACK_DEPTH=$depth MEMTRACK_BUFFER_SIZE=500 -- "$programs/process" sandbox
	if [ "$status" = 77 ]; then
		skip "a sandbox, depth $depth" "seccomp is not allowed here"
	else
		is "$status $(cat "$work/out") $(grep -c 'size=1111 ' "$log")$(notice)" "0 sealed 410" \
			"a sandbox, depth $depth: the program runs and the log is whole"
	fi
done

# Started without standard descriptors.
timeout 60 env MEMTRACK_OUTPUT="$log" LD_PRELOAD="$hook" "$programs/process" standard "$work/first" <&- >&- 2>&-
is "$? $(cat "$work/first") $(grep -c 'size=1111 ' "$log")" "0 fd 0 400" "without descriptors 0 to 2: the log is whole, 0 is the program's"

# In a descriptor limit there is room for the log.
alone -- sh -c 'ulimit -n 5; exec "$0" keep 1111' "$programs/process"
is "$status $(grep -c 'size=1111 ' "$log")" "0 20" "with five descriptors"
(
	ulimit -v 300000
	alone MEMTRACK_STACK_DEPTH=8 -- "$programs/process" keep 1111
	exit $status
)
is "$? $(grep -c 'size=1111 ' "$log")" "0 20" "with 300 MB of address space"
done_testing
