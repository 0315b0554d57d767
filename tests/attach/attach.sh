# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what the tests that attach share: the hostile programs and the cycles over them.
#
#	hostile NAME CYCLES [OPTION...] -- WORKER...
#
# attaches so often to the hostile program with these workers and makes one assertion; the OPTIONs are
# those of tests/attach/cycles.c.  $command is what attaches; $program the form of the hostile program.
#
# What has broken tools that attach (group I of the list that tests/hazards goes by), and where it is tried:
# dlopen's look-up, an unwilling libc, static and musl programs (66 81 83): counts, targets, inject/hold_deliver.
# Stack, red zone, registers (67 68): cycles, inject/hold_keep.  Blocking calls (69): cycles.  Locks held, others
# needed (70 71): cycles.  Stopped, left stopped (72 73): cycles, targets.  Signals (74): cycles.  vfork (75), threads
# that come and go (76): cycles, targets.  Ends and execs meanwhile, memtrack killed (77): targets, launcher/killed.
# Traced already, not permitted, namespaces, chroot (78 79 80), 32-bit (82), seccomp (85): targets.  Main thread gone,
# small stacks (84): targets, launcher/attach_odd.  Again and again (86): cycles, hook/loads.  Older blocks (87): counts.
. "${top_srcdir:-.}/tests/tap.sh"

cycles=$testbin/attach/cycles
program=$testbin/attach/hostile
plugin=$testbin/attach/plugin.so

# Every way of being blocked that the hostile program knows.
blocking_calls="nanosleep clock_nanosleep poll ppoll select pselect epoll_wait futex cond_timedwait
sem_timedwait sigtimedwait semtimedop io_getevents recv_timeout timerfd read write recv accept eventfd
inotify poll_pipe epoll_pipe flock setlkw futex_wait cond_wait sem_wait msgrcv semop mq_receive wait4
sigwaitinfo sigsuspend"

# start PROGRAM...: $target, once it has said a word.
start()
{
	mkfifo "$work/ready"
	"$@" >"$work/ready" &
	target=$!
	read -r word <"$work/ready"
	rm "$work/ready"
}
traced() { "$memtrack" --pid "$target" status; }

hostile()
{
	hostile_name=$1 hostile_options="-n $2"
	shift 2
	while [ "$1" != -- ]; do
		hostile_options="$hostile_options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	timeout -k 10 600 "$cycles" $hostile_options $program -b %b "$@" -- $command \
		>"$work/cycles.out" 2>"$work/cycles.err" </dev/null
	hostile_status=$?
	if [ $hostile_status = 77 ]; then
		skip "$hostile_name" "the program cannot do that here"
		return
	fi
	is "$hostile_status$(head -n 20 "$work/cycles.err")" "0" \
		"$hostile_name: $(sed -n '/cycles/p' "$work/cycles.out")" || diag "$(cat "$work/cycles.out")"
}
