# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: attach, trace, detach, over and over: whatever the program does, it goes on as if nothing had
# been.  MEMTRACK_LONG=1: a thousand times in total.
. "${top_srcdir:-.}/tests/attach/attach.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
if ! "$cycles" -i "$program" -b %b idle -- "$memtrack" -q --no-report -o "$work/first.mtk" --duration 0.01 \
		--pid %p >"$work/first" 2>&1; then
	! grep -Eq 'not permitted|cannot be attached to on this|on this CPU' "$work/first" ||
		skip_all "cannot attach here: $(head -n 1 "$work/first")"
fi

command="$memtrack -q --no-report -o $work/trace.mtk --duration 0.02 --pid %p"
few=1 many=2
[ -z "${MEMTRACK_LONG:-}" ] || few=25 many=100

# shellcheck disable=SC2046,SC2086
{
	hostile "four threads in malloc" $many -- heap:2 tight:2
	hostile "a dlopen loop" $many -- "load$plugin:4"
	hostile "threads that come and go" $many -- churn:3
	hostile "a storm of signals" $many -- signalled/100:2 acked timer
	hostile "fork and exec" $many -- fork spawn
	hostile "a bit of all" $many -- heap "load$plugin" churn fork signalled
	hostile "one thread in malloc" $many -- -1 tight
	hostile "one thread in dlopen" $few -- -1 "load$plugin"
	hostile "traps and faults of its own" $few -- trap fault acked
	hostile "registers" $few -- tight red-zone vectors
	hostile "all that blocks" $few -- $(printf 'block/%s ' $blocking_calls)
	hostile "saved pointers" $few -- saved
	hostile "vfork" $few -- vfork
	hostile "500 threads" $few -- calm:500
	hostile "small stacks, the main thread gone" $few -- small gone heap:2
	hostile "stopped" $few -s -- idle
	hostile "seccomp" $few -- seccomp heap:2 idle calm
	hostile "another user, not dumpable" $few -- other-user not-dumpable heap
	hostile "SIGTRAP ignored and blocked" $few -- trap-ignored heap
}

export MEMTRACK_INJECT=map
# shellcheck disable=SC2086
{
	hostile "mapped: threads that come and go, in malloc and in dlopen" $few -- heap:2 "load$plugin" churn
	hostile "mapped: one thread in malloc" $few -- -1 tight
	hostile "mapped: signals, fork and exec" $few -- signalled acked timer fork spawn
	hostile "mapped: registers" $few -- red-zone vectors saved
	hostile "mapped: 500 threads" $few -- calm:500
	hostile "mapped: seccomp" $few -- seccomp heap:2 idle calm
}
done_testing
