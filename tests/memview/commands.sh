#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: keys that ask the memtrack of a live stream for a pause, a marker, a snapshot; and what is said where nobody
# takes commands.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"
need python3
view_patience=100	# a snapshot and an attach take their time on a busy machine
cd "$work" || exit 1

cat >program.py <<'END'
import os, time
kept = []
open("ready", "w").close()
while not os.path.exists("stop"):
    kept.append(bytearray(5000))
    time.sleep(0.02)
END
PYTHONMALLOC=malloc
export PYTHONMALLOC
"$memtrack" --no-report --port 0 -o trace.mtk python3 program.py 2>err & launcher=$!
port=
listens() { port=$(sed -n 's/.*memview 127\.0\.0\.1:\([0-9]*\)$/\1/p' err) && [ "$port" ]; }
view_wait listens

view_start 130 30 ":$port"
shows '● LIVE .* [1-9][0-9,.kM]* allocs' "a live stream"
press z
shows '⏸ PAUSED' "z pauses the recording"
shows 'recording is paused' "as it is answered"
press z
shows '● LIVE' "and lets it go on"
press N
shows 'Name of the marker:' "N asks for a name"
type_text 'second half'
press Enter
shows 'M1 second half' "the marker has a number"
press G
shows 'after second half' "what comes behind it says so"
press w
shows 'snapshot 1: .*trace.mtk.snapshot-1.txt' "w writes a snapshot"
ok "it is there" grep -q '^live blocks: ' trace.mtk.snapshot-1.txt
: >stop
shows '✕ DONE' "the end"
press z
shows 'no live stream' "then nobody takes commands"
press q
ends 0 "quit"
wait $launcher

# In one terminal, and of a process that ran before.
obeyed()
{
	shows '● LIVE .* [1-9][0-9,.kM]* allocs' "$1: live"
	press z
	shows '⏸ PAUSED' "$1: z pauses the recording"
	press z
	shows '● LIVE' "$1: and lets it go on"
	press N
	shows 'Name of the marker:' "$1: N asks"
	type_text 'here'
	press Enter
	shows 'M1 here' "$1: the marker"
	press w
	shows 'snapshot 1: ' "$1: w writes a snapshot"
}
rm -f stop
view_start 130 30 -- python3 program.py
obeyed "--"
: >stop
shows '✕ DONE' "--: the end"
press q
ends 0 "--: quit"
rm -f stop ready
python3 program.py & target=$!
view_wait test -e ready
if "$memtrack" --pid $target --no-report --duration 0.01 -o probe.mtk 2>err; then
	view_start 130 30 --pid $target
	obeyed "--pid"
	press q d
	ends 0 "--pid: quit"
	ok "--pid: the process goes on" kill -0 $target
else
	diag "not tried with --pid: $(cat err)"
fi
: >stop
wait $target

# A pause ends with the viewer that wanted it.
rm -f stop ready
"$memtrack" --no-report --port 0 -o left.mtk python3 program.py 2>err & launcher=$!
port=
view_wait listens
view_start 100 24 ":$port"
shows '● LIVE' "a viewer"
press z
shows '⏸ PAUSED' "pauses"
press q
ends 0 "and leaves"
view_start 100 24 ":$port"
shows '● LIVE' "the next one finds it recording"
press q
ends 0 "quit"
: >stop
wait $launcher

view_start 100 24 trace.mtk
shows '✕ DONE' "the file"
press w
shows 'there is no memtrack at the other end' "has nobody behind it"
press N
shows 'there is no memtrack at the other end' "for names either"
press q
ends 0 "quit"

head -c $(($(wc -c <trace.mtk) * 7 / 10)) trace.mtk >cut.mtk
view_start 100 24 cut.mtk
shows '✕ NO END' "a file that was cut has no end"
press f
shows 'no end was seen, so nothing is called leaked' "and no leaks"
press q
ends 0 "quit"

# A stream that only looks alive: a memtrack of old, or a hook alone.
printf 'import socket, time\ns = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()\nprint(s.getsockname()[1], flush=True)\nc = s.accept()[0]; c.sendall(open("head", "rb").read()); time.sleep(100)\n' >serve.py
"$make_log" >head 2>/dev/null
python3 serve.py >port & server=$!
view_wait test -s port
view_start 100 24 ":$(cat port)"
shows 'LIVE' "a stream without commands"
press z
shows 'this stream takes no commands' "says so"
press q
ends 0 "quit"
kill $server
done_testing
