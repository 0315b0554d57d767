# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hostile programs are content when they are left alone, and the harness sees what a tool
# that attaches must not do.
. "${top_srcdir:-.}/tests/attach/attach.sh"
need strace gdb

command=true
# shellcheck disable=SC2046,SC2086
hostile "left alone, all kinds" 2 -- heap tight calm saved churn idle "load$plugin" signalled acked timer trap \
	fault fork spawn vfork red-zone vectors
# shellcheck disable=SC2046
hostile "left alone, blocked" 2 -- $(printf 'block/%s ' $blocking_calls)
hostile "left alone, the main thread" 2 -- gone small heap:4
hostile "left alone, idle" 2 -i -- idle
hostile "left alone, stopped" 2 -i -s -- idle
hostile "left alone, no system calls" 2 -- seccomp heap:2

# finds NAME PATTERN COMMAND [OPTION...] -- WORKER...: the harness says that of the command.
finds()
{
	finds_name=$1 finds_pattern=$2 finds_command=$3 finds_options=
	shift 3
	while [ "$1" != -- ]; do
		finds_options="$finds_options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	timeout -k 10 100 "$cycles" -l 5 $finds_options "$program" -b %b "$@" -- sh -c "$finds_command" %p \
		>"$work/found" 2>&1 </dev/null
	is $? 1 "$finds_name: it fails"
	like "$(cat "$work/found")" "$finds_pattern" "$finds_name"
}

# shellcheck disable=SC2016
{
	finds "a status" "the command's status is 3" 'exit 3' -- heap
	finds "a killed program" "the program is gone: signal 9" 'kill -KILL $0; sleep 0.1' -- heap
	finds "a stopped thread" "is in state T" 'kill -STOP $0; (sleep 1; kill -CONT $0) & ' -- heap
	finds "EINTR" "[0-9] EINTR" 'timeout 0.2 strace -f -e trace=none -p $0; true' -- block/epoll_wait
	finds "a signal too much" "signals came of" 'for i in 1 2 3 4 5 6 7 8 9; do kill -USR1 $0; sleep 0.01; done' -- acked
	finds "foreign code, a mapping, a descriptor" "code of .* is not that of the file" \
		'gdb -q -batch -p $0 -ex "call (void *)malloc(100000000)" -ex "call (int)dup(0)" \
			-ex "set *(char *)(void *)&calloc = 0xcc"' -i -- idle
	like "$(cat "$work/found")" "mapping new:" "a mapping"
	like "$(cat "$work/found")" "descriptor new:" "a descriptor"
	finds "a red zone that was written to" "the red zone or a register changed" \
		'gdb -q -batch -p $0 -ex "thread apply all set *(long *)(\$rsp - 64) = 1"' -- red-zone
}
done_testing
