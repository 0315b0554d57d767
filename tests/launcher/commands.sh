#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: viewers and verbs mark, pause and take snapshots; whatever else a viewer sends ends its commands, and neither
# the trace, nor other viewers, nor the program.
. "${top_srcdir:-.}/tests/tap.sh"
need python3
cd "$work" || exit 1
patience=1200

dump=$testbin/tools/trace_dump

# The program: blocks of one size until somebody makes the file "stop".
cat >program.py <<'END'
import os, sys, time
kept = [bytearray(54321) for i in range(100)]
open("pid.new", "w").write(str(os.getpid()))
os.rename("pid.new", "pid")
for i in range(60000):
    if os.path.exists("stop"):
        break
    kept.append(bytearray(54321))
    del kept[0]
    time.sleep(0.01)
print("ended", len(kept))
END
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
PYTHONMALLOC=malloc
export PYTHONMALLOC

# viewer NAME: a viewer that keeps what it gets in NAME.mtk and sends what comes on its stdin, by lines of Python bytes.
cat >viewer.py <<'END'
import ast, socket, sys, threading
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def read():
    with open(sys.argv[2] + ".mtk", "wb") as out:
        try:
            while data := s.recv(65536):
                out.write(data)
                out.flush()
        except ConnectionError:
            open(sys.argv[2] + ".reset", "w")
t = threading.Thread(target=read)
t.start()
for line in sys.stdin:
    try:
        s.sendall(ast.literal_eval(line))
    except ConnectionError:
        pass
t.join()
END

# begin ARG...: memtrack on the program; $launcher, $port, $pid.
begin()
{
	rm -f stop pid err out
	"$memtrack" --no-report --port 0 --no-wait "$@" "$python" program.py >out 2>err &
	launcher=$!
	until_ok test -s pid || return 1
	until_ok grep -q 'memview 127' err || return 1
	pid=$(cat pid)
	port=$(sed -n 's/.*memview 127\.0\.0\.1:\([0-9]*\)$/\1/p' err)
}

# told FILE PATTERN: the trace so far says so.
told() { "$dump" --facts "$1" 2>/dev/null | grep -Eq -e "$2"; }

finish()
{
	: >stop
	wait $launcher
	is "$?:$(cat out)" "0:ended 100" "$1: the program ends as ever"
}

hello="b'memtrack commands 1\\n'"

# Two viewers.
begin -o trace.mtk || exit 1
mkfifo one.in two.in
python3 viewer.py "$port" one <one.in & one=$!
python3 viewer.py "$port" two <two.in & two=$!
exec 7>one.in 8>two.in
ok "the stream says that commands are taken" until_ok told one.mtk '^fact commands 1$'
printf '%s\n' "$hello" "b'mark first of one\\n'" >&7
ok "one marks" until_ok told one.mtk '^marker [0-9]* first of one$'
ok "the other one sees it" until_ok told two.mtk '^marker [0-9]* first of one$'
printf '%s\n' "$hello" "b'pau'" "b'se\\nmark second\\n'" >&8
ok "a pause, in pieces" until_ok told one.mtk '^pause [0-9]* 1 '
ok "it is answered" until_ok told one.mtk '^fact answer [0-9]* recording is paused'
ok "what follows it is obeyed" until_ok told one.mtk '^marker [0-9]* second$'
like "$("$memtrack" --pid "$pid" status)" "^recording is paused" "status tells of the pause"
printf '%s\n' "b'resume\\nresume\\nmark\\n'" >&7
ok "the other one ends it" until_ok told two.mtk '^pause [0-9]* 0 '
ok "a marker needs no name" until_ok told two.mtk '^marker [0-9]* $'
printf '%s\n' "b'snapshot\\n'" >&7
ok "a snapshot is answered with its name" until_ok told two.mtk "answer [0-9]* snapshot 1: $work/trace.mtk.snapshot-1.txt "
ok "and has a marker" until_ok told two.mtk '^marker [0-9]* snapshot 1$'
like "$(cat trace.mtk.snapshot-1.txt)" '^54[0-9]* bytes in [0-9]* by [a-z]*  thread' "it has the blocks"
like "$(cat trace.mtk.snapshot-1.txt)" 'bytearray' "and their stacks"
printf '%s\n' "b'nonsense\\nmark never\\n'" "b'mark never\\n'" >&8
printf '%s\n' "b'mark still heard\\n'" >&7
ok "nonsense ends the commands of that viewer alone" until_ok told two.mtk 'marker [0-9]* still heard'
exec 7>&- 8>&-
finish "two viewers"
wait $one $two
is "$("$dump" --facts trace.mtk | grep -c never)" 0 "what comes behind it is not obeyed"
ok "both got the whole trace" sh -c 'cmp one.mtk trace.mtk && cmp two.mtk trace.mtk'
like "$("$memview" --report trace.mtk)" "^ .* first of one$" "the report lists the markers"
like "$("$memview" --report --json trace.mtk)" '"name":"first of one"' "as JSON, too"

# Hostile bytes.
begin -o trace.mtk || exit 1
cat >hostile.py <<'END'
import os, random, socket, sys
random.seed(5)
hello = b"memtrack commands 1\n"
def text(n): return bytes(random.randrange(256) for _ in range(n))
bad = [b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"POST / HTTP/1.1\r\n\r\nmemtrack commands 1\npause\nmark never\n",
       b"\n", b"\0" * 5000, b"A" * 100000, hello[:-1], hello[:-1] + b"\r\n", b"memtrack commands 2\npause\n",
       b"memtrack commands 1 \npause\n", hello + b"mark " + b"n" * 128 + b"\n", hello + b"pause now\n",
       hello + b"PAUSE\n", hello + b" pause\n", hello + b"mark a\x1b[2Jb\n", hello + b"mark a\0b\n", hello + b"pause\r\n",
       hello + hello + b"pause\n", hello + b"snapshot ../../x\n", hello + b"m" * 159 + b"\n", hello + b"mark " + b"x" * 9999]
for i in range(60):
    bad.append(random.choice([b"", hello]) + b"\x01" + text(random.randrange(3000)))
for i, data in enumerate(bad):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    try:
        s.sendall(data)
        if i % 3 == 0:
            s.shutdown(socket.SHUT_WR)
        if i % 2 == 0:
            s.settimeout(20)
            assert s.recv(4) == b"\x89MTR", "no trace"
    except ConnectionError:
        pass
    s.close()
END
ok "hostile bytes are read by nobody" timeout 100 python3 hostile.py "$port"
python3 -c "print(b'memtrack commands 1\n' + b''.join(b'mark f%d\npause\nresume\n' % i for i in range(1000)) + b'mark last\n')" >flood
python3 viewer.py "$port" two <flood & two=$!
python3 viewer.py "$port" one </dev/null & one=$!
ok "all of a flood is obeyed in time" until_ok told trace.mtk '^marker [0-9]* last$'
"$memtrack" --pid "$pid" mark "after it all" >said
is "$?:$(cat said)" "0:marker set" "then verbs are still obeyed"
finish "hostile bytes"
wait $one $two
ok "viewers have the whole trace" sh -c 'cmp one.mtk trace.mtk && cmp two.mtk trace.mtk'
is "$("$dump" --facts trace.mtk | grep -c 'marker.*f[0-9]')" 1000 "every marker of the flood is there"
is "$("$dump" --facts trace.mtk | grep -c 'never\|marker [0-9]* n\|\[2J')" 0 "nothing of the hostile bytes was obeyed"
is "$("$dump" --facts trace.mtk | tail -n 1)" "file 1 0 0" "the trace is whole"

# Verbs, and no server.
cat >sleeper.py <<'END'
import os, time
open("pid", "w").write(str(os.getpid()))
while not os.path.exists("stop"):
    time.sleep(0.02)
END
rm -f stop pid
"$memtrack" -q --no-report -o quiet.mtk "$python" sleeper.py & launcher=$!
until_ok test -s pid
pid=$(cat pid)
is "$("$memtrack" --pid "$pid" pause)" "recording is paused" "pause by a verb"
is "$("$memtrack" --pid "$pid" resume)" "recording goes on" "resume by a verb"
printf 'x' >quiet.mtk.snapshot-1.txt
like "$("$memtrack" --pid "$pid" snapshot)" "^snapshot 2: $work/quiet.mtk.snapshot-2.txt \(.* in [0-9,]*\)$" \
	"a snapshot takes no other file's place"
is "$(cat quiet.mtk.snapshot-1.txt)" x "that one stays"
"$memtrack" --pid "$pid" mark "$(printf 'a\033b')" >said
is "$(cat said)" "marker set" "control characters of a name become blanks"
for words in "mark a b" "pause now" "leaks" "nonsense"; do
	# shellcheck disable=SC2086
	"$memtrack" --pid "$pid" $words >said 2>refused
	is "$?:$(wc -l <refused)" "125:1" "'$words' is refused in a line"
done
"$memtrack" --pid $$ pause >said 2>refused
is "$?:$(cat refused)" "125:memtrack: process $$ is not traced" "so is a process that nobody traces"
: >stop
wait $launcher
like "$("$dump" --facts quiet.mtk)" "^marker [0-9]* a b$" "the trace has the marker"
is "$("$dump" --facts quiet.mtk | grep -c '^fact commands')" 0 "without a server the trace says nothing of commands"
done_testing
