#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack --pid: attach, status, detach in all its ways, again, and what stays behind.
. "${top_srcdir:-.}/tests/attach/attach.sh"
dump=$testbin/tools/trace_dump
looper=$testbin/launcher/looper
export XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"

# code: a digest of the code of all objects of the target but memtrack's own.
code()
{
	python3 - "$target" <<'END'
import sys, hashlib
pid = sys.argv[1]
h = hashlib.sha256()
with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as mem:
    for line in maps:
        f = line.split(None, 5)
        if "x" not in f[1] or len(f) < 6 or "memtrack" in f[5] or f[5].startswith("[vsyscall"):
            continue
        a, b = (int(x, 16) for x in f[0].split("-"))
        mem.seek(a)
        h.update(mem.read(b - a))
print(h.hexdigest())
END
}
# mappings: names of what is mapped, without the heap's and stacks' (they grow) and memtrack's.
mappings() { awk '$6 ~ /^\// && $6 !~ /memtrack/ { print $2, $6 }' "/proc/$target/maps" | sort | uniq -c; }


# try ARG...: a first attach tells whether that is possible here at all.
start "$looper" 4
"$memtrack" --pid "$target" --duration 0.01 -o "$work/first.mtk" 2>"$work/err"
status=$?
case $(cat "$work/err") in
*ptrace*|*privilege*|*yama*) kill "$target"; skip_all "$(head -n 1 "$work/err")" ;;
esac
is "$status:$(grep -c cannot "$work/err")" "0:0" "attach, and --duration ends it"
like "$(traced)" "^process $target \(looper\): not traced; it was" "the status afterwards"
traced >/dev/null
is $? 1 "and its exit status"

# Mistakes in the command line, one line each.
for wrong in "--pid 1 2" "--pid 1 frobnicate" "--pid 1 -- true" "--pid 1 leaks" "--duration 1 true" \
	"--inject map true" "--pid 1 --duration x" "--pid 1 --duration 0" "--pid 1 -f" "--pid 0" \
	"--pid 1 status now"; do
	$memtrack $wrong >"$work/out" 2>"$work/err"
	is "$?:$(grep -c . "$work/err")" "125:1" "'$wrong' is refused"
done
"$memtrack" --pid 4194304 2>"$work/err"
is "$?:$(cat "$work/err")" "125:memtrack: cannot attach to process 4194304: there is no such process" "no process"
thread=$(ls "/proc/$target/task" | grep -v "^$target$" | head -n 1)
"$memtrack" --pid "$thread" 2>"$work/err"
is "$?:$(grep -c "a thread of process $target" "$work/err")" "125:1" "a thread is no process"
"$memtrack" --pid 4194304 status 2>"$work/err"
is $? 125 "nor a status of it"
"$memtrack" --pid 2 -o "$work/kernel.mtk" 2>"$work/err"
is "$?:$(grep -c 'kernel thread' "$work/err")" "125:1" "a kernel thread is refused"


# Again, with everything compared.
before=$(code) maps_before=$(mappings)
"$memtrack" --pid "$target" -o "$work/a.mtk" 2>"$work/err" &
memtrack_pid=$!
until_ok traced
like "$(cat "$work/try")" "^process $target \(looper\): traced by memtrack \(process $memtrack_pid\) since 20" "status: by whom and since when"
like "$(cat "$work/try")" "^method: inject \((dlopen|mapped)\), entry patch$" "how"
like "$(cat "$work/try")" "^patched: .*malloc.* in libc" "what"
like "$(cat "$work/try")" "^trace: $work/a.mtk, " "and where the trace is"
unlike "$(code)" "^$before$" "the code is patched"
"$memtrack" --pid "$target" -o "$work/other.mtk" 2>"$work/err2"
is "$?:$(grep -c "memtrack (process $memtrack_pid) traces it already" "$work/err2")" "125:1" "only one at a time"
ok "nothing is left of the second" test ! -e "$work/other.mtk"
"$memtrack" --pid "$target" detach 2>"$work/err2"
is "$?:$(cat "$work/err2")" "0:memtrack: detached; trace in $work/a.mtk" "detach from elsewhere"
wait "$memtrack_pid"
is $? 0 "memtrack ends"
is "$(code)" "$before" "every byte of code is as before"
is "$(mappings)" "$maps_before" "every mapping but memtrack's too"
like "$("$dump" --facts "$work/a.mtk")" "^end 3 0 [0-9]{3}" "the trace ends with a detach"
like "$("$dump" --facts "$work/a.mtk")" "^fact attached 1" "and says how it began"
like "$("$dump" --counts "$work/a.mtk")" "^realloc " "with events in it"
"$memtrack" --pid "$target" detach 2>"$work/err2"
is $? 0 "a detach without anything to detach"

# The ways to end it.
for signal in INT TERM HUP; do
	"$memtrack" --pid "$target" -o "$work/$signal.mtk" 2>"$work/err" &
	memtrack_pid=$!
	until_ok traced
	kill -$signal "$memtrack_pid"
	wait "$memtrack_pid"
	is "$?:$(code)" "0:$before" "SIG$signal detaches"
	like "$("$dump" --facts "$work/$signal.mtk")" "^file 1 0 0" "with a whole trace"
done

# The death of memtrack: its keeper restores the bytes.
"$memtrack" --pid "$target" -o "$work/killed.mtk" 2>"$work/err" &
memtrack_pid=$!
until_ok traced
sleep 0.5
keeper=$(pgrep -P "$memtrack_pid" -x memtrack-keeper)
kill -KILL "$memtrack_pid"
wait "$memtrack_pid" 2>/dev/null
restored() { [ "$(code)" = "$before" ]; }
ok "a memtrack that is killed leaves no patch behind" until_ok restored
like "$("$dump" --facts "$work/killed.mtk")" "^file 0 " "its trace can be read"
gone() { [ -n "$keeper" ] && ! kill -0 "$keeper" 2>/dev/null; }
ok "the keeper is gone, too" until_ok gone

# And again.
"$memtrack" --pid "$target" --duration 0.2 -o "$work/again.mtk" 2>"$work/err"
is "$?:$(code)" "0:$before" "it can be attached to again"
like "$("$dump" --counts "$work/again.mtk")" "^realloc " "with events"
kill "$target"
wait "$target"
is $? 0 "the program found all its blocks as it left them"

# Blocks from before: an exact count, as nothing else happens.
start "$looper" 0
"$memtrack" --pid "$target" -o "$work/early.mtk" 2>"$work/err" &
memtrack_pid=$!
until_ok traced
kill -USR1 "$target"
sleep 0.3
kill "$memtrack_pid"
wait "$memtrack_pid"
is "$("$dump" --counts "$work/early.mtk")" "free 10 0" "releases of blocks from before, and nothing else"
unlike "$("$memview" --report "$work/early.mtk")" "double|wild|mismatched" "are no findings"
kill "$target"
wait "$target"

# The end of the program, and another program in its place.
start "$looper" 1
"$memtrack" --pid "$target" -o "$work/end.mtk" 2>"$work/err" &
memtrack_pid=$!
until_ok traced
kill "$target"
wait "$target"
is $? 0 "the program ends as ever"
wait "$memtrack_pid"
is $? 0 "and memtrack with it"
like "$("$dump" --facts "$work/end.mtk")" "^end [14] 0 " "the trace tells how"
start "$looper" 1 exec /bin/sleep 30
"$memtrack" --pid "$target" -o "$work/exec.mtk" 2>"$work/err" &
memtrack_pid=$!
until_ok traced
kill -USR2 "$target"
wait "$memtrack_pid"
is "$?:$(grep -c 'executed .*/sleep: its trace ends there' "$work/err")" "0:1" "an exec ends the trace and says so"
like "$("$dump" --facts "$work/exec.mtk")" "^note the process executed" "in the trace, too"
like "$(traced)" "^process $target \(sleep\): not traced$" "the new program is untouched"
kill "$target"
wait "$target" 2>/dev/null

# A child inherits the patches, and gets the bytes back, too.
start "$looper" 1 fork
"$memtrack" --pid "$target" -o "$work/fork.mtk" 2>"$work/err" &
memtrack_pid=$!
until_ok traced
kill -USR2 "$target"
until_ok pgrep -P "$target"
parent=$target target=$(cat "$work/try")
patched=$(code)
like "$(traced)" "^process $target \(looper\): not traced; the process that forked it" "a child is not traced"
kill "$memtrack_pid"
wait "$memtrack_pid"
like "$(traced)" "not traced" "after the detach neither"
unlike "$(code)" "^$patched$" "but it has been unpatched"
"$memtrack" --pid "$target" --duration 0.2 -o "$work/child.mtk" 2>"$work/err"
like "$("$dump" --counts "$work/child.mtk")" "^realloc " "and can be attached to itself"
kill "$target" "$parent"
wait "$parent"
is $? 0 "all's well with the parent"
target=$parent

# A stream, and a reader that goes away.
start "$looper" 1
"$memtrack" --pid "$target" -o - 2>"$work/err" | head -c 1000 >"$work/head"
like "$(traced)" "not traced" "nobody reads: detached"
kill "$target"
wait "$target"
is $? 0 "the program goes on"

# What runs under memtrack from its start.
mkfifo "$work/ready"
"$memtrack" -o "$work/started.mtk" "$looper" 1 >"$work/ready" 2>"$work/err" &
memtrack_pid=$!
read -r word <"$work/ready"
target=$(pgrep -P "$memtrack_pid")
like "$(traced)" "traced from its start by memtrack \(process $memtrack_pid\)" "a started program has a status"
"$memtrack" --pid "$target" 2>"$work/err"
is "$?:$(grep -c 'from its start' "$work/err")" "125:1" "and is refused"
"$memtrack" --pid "$memtrack_pid" 2>"$work/err"
is "$?:$(grep -c 'it is a memtrack itself' "$work/err")" "125:1" "so is a memtrack"
kill "$target"
wait "$memtrack_pid"
done_testing
