#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack --pid where something is not as usual: the main thread gone, a keeper that comes late, a
# client that says nothing, children, the text log, programs and users that may not.
. "${top_srcdir:-.}/tests/attach/attach.sh"
dump=$testbin/tools/trace_dump
looper=$testbin/launcher/looper
export XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"

# attach [OPTION...]: $tracer, once it is in.
attach()
{
	"$memtrack" --pid "$target" "$@" 2>"$work/err" &
	tracer=$!
	until_ok traced
}
# finish: the target, by its own will.
finish()
{
	kill "$target"
	wait "$target"
	is $? 0 "$1: the program ends as ever"
}

start "$looper" 2
"$memtrack" --pid "$target" --duration 0.01 -o "$work/first.mtk" 2>"$work/err"
case $?:$(cat "$work/err") in
125:*ptrace*|125:*privilege*|125:*yama*|125:*root*) kill "$target"; skip_all "$(head -n 1 "$work/err")" ;;
esac

# A keeper that was held up finds a newer session.
attach -o "$work/old.mtk"
keeper=$(pgrep -x -P "$tracer" memtrack-keeper)
kill -STOP "$keeper"
kill -KILL "$tracer"
wait "$tracer" 2>/dev/null
attach -o "$work/new.mtk"
kill -CONT "$keeper"
gone() { ! [ -d "/proc/$keeper" ] || grep -q '^State:.Z' "/proc/$keeper/status"; }
ok "the keeper of a killed memtrack ends" until_ok gone
before=$("$dump" --counts "$work/new.mtk" | awk '/^realloc/ { print $2 }')
more() { [ "$("$dump" --counts "$work/new.mtk" | awk '/^realloc/ { print $2 }')" -gt "${before:-0}" ]; }
sleep 0.3
before=$("$dump" --counts "$work/new.mtk" | awk '/^realloc/ { print $2 }')
ok "and leaves the newer session what it has patched" until_ok more

# A client that says nothing holds nobody up, and may speak later.
python3 - "$XDG_RUNTIME_DIR/memtrack/$target" >"$work/late" <<'END' &
import socket, sys, time
silent = [socket.socket(socket.AF_UNIX) for _ in range(9)]
for s in silent:
    s.connect(sys.argv[1])
time.sleep(3)
silent[0].sendall(b"sta")
time.sleep(0.1)
silent[0].sendall(b"tus\n")
print(silent[0].makefile().readline().strip())
silent[1].sendall(b"x" * 1000)
try:
    print(silent[1].recv(9) == b"")
except ConnectionResetError:
    print(True)
END
client=$!
like "$(traced)" "traced by memtrack" "a status in between"
wait $client
is "$(tr '\n' ' ' <"$work/late")" "ok True " "a slow client is answered, one that says too much is not"
"$memtrack" --pid "$target" detach 2>/dev/null
wait "$tracer"
is $? 0 "detached"
finish "keeper and clients"

# Nobody stays but the other threads.
cat >"$work/session" <<'END'
#!/bin/sh
# session PID INJECT: attach, status, detach.
"$memtrack" --pid "$1" -q --inject "$2" -o "$work/gone.mtk" &
tries=0
until "$memtrack" --pid "$1" status >"$work/gone.status" || [ $tries = 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
"$memtrack" --pid "$1" -q detach 2>/dev/null || exit 3
wait $! || exit 4
[ "$("$memtrack" --pid "$1" status)" = "process $1 (hostile): not traced; it was, and the hook is idle in it" ]
[ $? = 0 ] && grep -q "^traced by\|): traced by" "$work/gone.status" &&
	grep -q "^method: inject (\(dlopen\|mapped\)), entry patch" "$work/gone.status"
END
chmod +x "$work/session"
export memtrack work
for inject in dlopen map; do
	command="$work/session %p $inject"
	hostile "the main thread gone, $inject" 1 -- gone heap:2
	like "$("$dump" --facts "$work/gone.mtk")" "^fact exe .*/hostile$" "the program's name"
	like "$("$dump" --counts "$work/gone.mtk")" "^realloc " "and its events"
	like "$("$memview" --report "$work/gone.mtk")" "heap_work" "with names of functions"
done
# shellcheck disable=SC2034
command="$work/killer %p"
cat >"$work/killer" <<'END'
#!/bin/sh
"$memtrack" --pid "$1" -q -o "$work/killed.mtk" &
tries=0
until "$memtrack" --pid "$1" status >/dev/null || [ $tries = 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
kill -KILL $!
wait $! 2>/dev/null
while pgrep -x memtrack-keeper | while read -r keeper; do
	grep -ls "^Pid:[[:space:]]*$1$" /proc/"$keeper"/fdinfo/*
done | grep -q .; do
	sleep 0.05
done
END
chmod +x "$work/killer"
hostile "the main thread gone, memtrack killed" 1 -- gone heap:2

# In a pid namespace of its own threads have other numbers than we know them by.
cat >"$work/leaver.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
static void *leaver(void *kept)
{
	char byte;

	prctl(PR_SET_NAME, "leaver");
	if (read(0, &byte, 1) == 1)
		*(void **)kept = malloc(4321), usleep(300000);
	return NULL;
}
int main(void)
{
	static void *kept;
	pthread_t thread;
	char byte;

	pthread_create(&thread, NULL, leaver, &kept);
	pthread_join(thread, NULL);
	return read(0, &byte, 1) == 1;
}
END
inside() { target=$(pgrep -P "$outer" -x leaver) && [ "$(ls "/proc/$target/task" | wc -l)" = 2 ]; }
left() { "$dump" "$work/inner.mtk" | grep -q '^event .* EXIT '; }
if unshare -pf --mount-proc true 2>/dev/null && ${CC:-cc} -w -o "$work/leaver" "$work/leaver.c" -pthread; then
	mkfifo "$work/in"
	unshare -pf --mount-proc "$work/leaver" <"$work/in" &
	outer=$!
	exec 9>"$work/in"
	ok "a program in a pid namespace" until_ok inside
	attach -o "$work/inner.mtk"
	printf x >&9
	ok "another pid namespace: a thread ends" until_ok left
	like "$("$dump" "$work/inner.mtk")" "^thread 1 2 leaver$" "and has its own name"
	like "$("$memview" --report "$work/inner.mtk")" "leaked +1 block .*by threads that ended" "and leaked"
	"$memtrack" --pid "$target" -q detach 2>/dev/null
	wait "$tracer"
	exec 9>&-
	wait "$outer"
	is $? 0 "another pid namespace: unharmed"
else
	skip "another pid namespace" "cannot be made here, or there is no compiler"
fi

# says NAME PATTERN WORD...: memtrack refuses with these words.
says()
{
	says_name=$1 says_pattern=$2
	shift 2
	like "$("$@" 2>&1)" "^memtrack: .*$says_pattern" "$says_name"
}
start "$looper" 1
attach -q -o "$work/left.mtk"
keeper=$(pgrep -x -P "$tracer" memtrack-keeper)
kill -STOP "$keeper"
kill -KILL "$tracer" "$keeper"
wait "$tracer" 2>/dev/null
like "$("$memtrack" --pid "$target" status)" "memtrack that was killed .*--pid $target detach takes" "killed, and its keeper: the status"
"$memtrack" --pid "$target" -q detach 2>/dev/null
like "$("$memtrack" --pid "$target" status)" "the hook is idle in it" "which detach takes away"
says "a wrong duration" "MEMTRACK_DURATION " env MEMTRACK_DURATION=foo "$memtrack" --pid "$target"
says "another method" "--method preload is not possible" "$memtrack" --method preload --pid "$target"
says "a verb alone" "'detach'.*--pid PID" "$memtrack" detach
says "a wrong hook" "'/none'.*MEMTRACK_HOOK" env MEMTRACK_HOOK=/none "$memtrack" --pid "$target" -o "$work/none.mtk"
finish "what a killed memtrack left"

# The text log says that there was a before and will be an after.
start "$looper" 1
"$memtrack" --pid "$target" --duration 0.1 --format text -d 0 -o "$work/text.log" 2>"$work/err"
is "$(grep -v '^\[memtrack\] tid=' "$work/text.log")" "# memtrack attached: the process ran before
# memtrack detached: the process goes on" "remarks in the text log"
like "$("$memview" --report "$work/text.log")" "goes on untraced" "which memview knows"
unlike "$("$memview" --report "$work/text.log")" "were not understood|leaked +[1-9]" "and counts nothing as leaked"

# refused NAME PATTERN [WRAPPER...]: memtrack, run by WRAPPER, says so in one line.
refused()
{
	refused_name=$1 refused_pattern=$2
	shift 2
	"$@" "$memtrack" --pid "$target" -o "$work/refused.mtk" 2>"$work/err"
	is "$?:$(grep -c . "$work/err")" "125:1" "$refused_name: refused"
	like "$(cat "$work/err")" "cannot attach to process $target: .*$refused_pattern" "$refused_name: why"
	ok "$refused_name: no file stays" test ! -e "$work/refused.mtk"
}
"$memtrack" --pid "$target" -f 2>"$work/err"
is "$?:$(cat "$work/err")" "125:memtrack: --follow is not possible with --pid; attach to each child by a memtrack of its own, or start the program under memtrack -f" "following"
if command -v strace >/dev/null; then
	strace -q -o /dev/null -p "$target" 2>/dev/null &
	tracer=$!
	until_ok grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$target/status"
	refused "traced by strace" "already traced by strace \(pid $tracer\)"
	kill $tracer
	wait $tracer 2>/dev/null
else
	skip "traced by strace" "there is none"
fi
finish "the text log and strace"
done_testing
