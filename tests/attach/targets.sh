# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what memtrack --pid is asked to attach to: in every state a process can be in, and what it says where it does
# not.  MEMTRACK_LONG=1 adds sanitizers, runtimes and servers under load.
. "${top_srcdir:-.}/tests/attach/attach.sh"
export XDG_RUNTIME_DIR="$work/run" TMPDIR="$work"
mkdir -m 700 "$XDG_RUNTIME_DIR"
long=${MEMTRACK_LONG:-}
hostile=$program
times=$([ -n "$long" ] && echo 20 || echo 1)
# attach FORM PID: what is said shows only if it fails; so with the only child of a process.
cat >"$work/attach" <<END
#!/bin/sh
"$memtrack" --pid "\$2" --inject "\$1" --duration 0.05 -o "$work/t.mtk" --no-report >"$work/said" 2>&1
status=\$?
[ \$status = 0 ] || cat "$work/said"
exit \$status
END
cat >"$work/attach-inside" <<END
#!/bin/sh
exec "$work/attach" "\$1" "\$(pgrep -P "\$2")"
END
chmod +x "$work/attach" "$work/attach-inside"
cd "$work" || exit 1

"$hostile" -s 5 calm >"$work/out" &
"$memtrack" --pid $! --duration 0.01 -o first.mtk --no-report 2>"$work/err" ||
	case $(cat "$work/err") in
	*ptrace*|*CAP_*|*"this CPU"*) kill $!; skip_all "$(head -n 1 "$work/err")" ;;
	esac
kill $! 2>/dev/null

# with FORM: what attaches, so.
with() { command="$work/attach $1 %p"; }

# as WORDS...: the hostile program, started by these.
as() { program="$* $hostile"; }

# refused NAME PID PATTERN: it is, within 5 s and with these words.
refused()
{
	timeout 5 "$memtrack" --pid "$2" -o refused.mtk --no-report >"$work/err" 2>&1
	is "$? $(grep -Ec -e "^memtrack: cannot attach to process $2: .*$3" "$work/err")" "125 1" "$1: refused" ||
		diag "$(cat "$work/err")"
}
# unharmed NAME PID: a hostile program that ends by itself is content.
unharmed() { wait "$2"; is "$? $(cat "$work/out")" "0 OK" "$1: unharmed"; }

root=$([ "$(id -u)" = 0 ] && echo yes)
can() { "$@" true >/dev/null 2>&1; }

## A stopped process may have no place for dlopen, and none to be led to: then the other form comes.
with auto
hostile "stopped" $times -s -- -1 idle
hostile "stopped, with threads" $times -s -- heap:2 idle

## States of a process; by the second form too where there is time.
for form in dlopen ${long:+map}; do
	with $form
	program=$hostile
	hostile "$form: a single thread" $times -- -1 heap
	hostile "$form: stopped" $times -t $times -s -- -1 idle
	hostile "$form: the main thread gone, small stacks" $times -- gone small heap:2
	hostile "$form: forks, runs programs, waits in vfork" $times -- fork spawn vfork/20
	hostile "$form: runs itself over and over" $((times * 3)) -t $((times * 3)) -x -- -1 exec
	[ -z "$long" ] || hostile "$form: 500 threads" 5 -- calm:500
	hostile "$form: no signal of a debugger" $times -- trap-ignored calm
	hostile "$form: no memory may become code" $times -- mdwe calm
	hostile "$form: all memory locked, that to come too" $times -- locked calm heap
	[ -n "$root" ] || continue
	hostile "$form: not dumpable" $times -- not-dumpable calm
	hostile "$form: another user's" $times -- other-user calm
	hostile "$form: a filter that kills, restart_syscall too" $times -- seccomp heap idle calm
	for space in m U n; do
		if can unshare -$space; then
			as unshare -$space
			hostile "$form: another namespace (unshare -$space)" $times -- calm
		else
			skip "$form: another namespace (unshare -$space)" "cannot be made here"
		fi
	done
	if can unshare -pf --mount-proc; then
		as unshare -pf --mount-proc
		command="$work/attach-inside $form %p"
		hostile "$form: another pid namespace" $times -x -- calm
	else
		skip "$form: another pid namespace" "cannot be made here"
	fi
done

## Roots of their own: with /proc by both forms, without by the second.
box=$work/box
if [ -n "$root" ] && mkdir "$box" "$box/proc" && mount -t proc proc "$box/proc" 2>/dev/null; then
	umount "$box/proc"
	cp "$hostile" "$box/"
	ldd "$hostile" | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$box/$(dirname "$library")" && cp "$library" "$box/$library"
	done
	cat >"$work/boxed" <<-'END'
		mount --bind "$1" "$1" && { [ "$2" = no ] || mount -t proc proc "$1/proc"; } && shift 2 && exec chroot "$@"
	END
	for form in dlopen map; do
		with $form
		program="unshare -m sh $work/boxed $box yes $box /hostile"
		hostile "$form: a root of its own" $times -- calm
	done
	program="unshare -m sh $work/boxed $box no $box /hostile"
	hostile "map: a root without /proc" $times -- calm
	with auto
	hostile "without a choice: a root without /proc" $times -- calm
	with dlopen
	hostile "dlopen: a root without /proc" $times -e 125 -- calm
else
	skip "a root of its own" "needs root, and a mount"
fi

## Who runs it, who runs memtrack.
if [ -n "$root" ] && command -v setpriv >/dev/null; then
	mkdir -m 755 "$work/public" && chmod 755 "$work" && cp "$hostile" "$work/public/lifted" &&
		chmod u+s "$work/public/lifted"
	with dlopen
	program="setpriv --reuid=65534 --clear-groups $work/public/lifted"
	hostile "a setuid program" $times -- calm
	"$hostile" -s 2 calm >"$work/out" &
	target=$!
	sleep 0.2
	cp "$memtrack" "$top_builddir/memtrack.so" "$work/public/"
	setpriv --reuid=65534 --clear-groups "$work/public/memtrack" --pid $target -o "$work/none" >"$work/err" 2>&1
	is "$? $(grep -c 'as user 0, memtrack as user 65534' "$work/err")" "125 1" "another user's, without the right: refused" ||
		diag "$(cat "$work/err")"
	unharmed "another user's" $target
else
	skip "a setuid program" "needs root and setpriv"
fi

## What there is no way into.
"$hostile" -s 4 calm >"$work/out" &
target=$!
sleep 0.2
if command -v strace >/dev/null; then
	strace -f -e trace=none -o strace.out -p $target 2>/dev/null &
	tracer=$!
	sleep 0.5
	refused "traced by strace" $target "already traced by strace \(pid $tracer\)"
	kill -INT $tracer
	wait $tracer
else
	skip "traced by strace" "strace is not installed"
fi
"$memtrack" --pid $target -o ours.mtk --no-report 2>"$work/err2" &
ours=$!
until grep -q attached "$work/err2"; do sleep 0.05; done
refused "traced by memtrack" $target "memtrack \(process $ours\) traces it already"
refused "memtrack at work" $ours "memtrack itself"
"$memtrack" --pid $target detach 2>/dev/null
wait $ours
thread=$(ls /proc/$target/task | grep -v "^$target$" | head -n 1)
refused "a thread" "$thread" "thread of process $target"
unharmed "all of these" $target
sh -c 'sleep 0.05 & exec sleep 3' &
target=$!
sleep 0.3
zombie=$(pgrep -P $target)
refused "a zombie" "$zombie" "zombie"
kill $target
[ ! -d /proc/2 ] || ! grep -q kthreadd /proc/2/comm || refused "a kernel thread" 2 "kernel thread"
refused "nobody" 4194304 "no such process"
sh -c 'exec "$1" --pid $$ -o none' - "$memtrack" >"$work/err" 2>&1
like "$? $(cat "$work/err")" "memtrack itself" "itself: refused"

## What comes to its end, or was never meant to be entered.
ends()
{
	ended=0 wrong=
	while [ $ended -lt "$1" ]; do
		ended=$((ended + 1))
		sh -c "sleep 0.0$((ended % 10)); exit 7" &
		target=$!
		timeout 20 "$memtrack" --pid $target -o t.mtk --no-report >"$work/err" 2>&1
		status=$?
		wait $target
		case "$? $status $(cat "$work/err")" in
		*"(process 0)"*) wrong="$wrong
$(cat "$work/err")" ;;
		"7 0 "*|"7 125 memtrack: cannot attach to process"*) ;;
		*) wrong="$wrong
$? $status $(cat "$work/err")" ;;
		esac
	done
	is "$wrong" "" "programs that end meanwhile ($1)"
}
ends $([ -n "$long" ] && echo 100 || echo 10)
cat >"$work/strict.c" <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
	static struct sock_filter filter[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 4, filter };

	char byte;

	free(malloc(1000));
	if (count > 1)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	while (read(0, &byte, 1) == 1)
		free(malloc(100));
	(void)words;
	write(1, "OK\n", 3);
	syscall(SYS_exit, 0);
}
END
# confined NAME PATTERN [WORD]
confined()
{
	mkfifo "$work/in"
	./strict ${3:-} <"$work/in" >"$work/out" &
	target=$!
	exec 9>"$work/in"
	sleep 0.2
	refused "$1" $target "$2"
	echo 12345678 >&9
	exec 9>&-
	rm "$work/in"
	unharmed "$1" $target
}
if [ -n "$root" ] && ${CC:-cc} -w -o strict strict.c 2>/dev/null; then
	confined "seccomp's strict mode" "strict mode" strict
	confined "a filter without futex" "forbids futex"
else
	skip "seccomp's strict mode" "needs root and a compiler"
fi

[ -z "$long" ] || . "$top_srcdir/tests/attach/programs.sh"
done_testing
