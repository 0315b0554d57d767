#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: growing files, pipes and sockets.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$work/all.log"
lines=$(wc -l <"$work/all.log")

# A growing file, looked at before it is there.
growing=$work/growing.log
view_start 120 30 -f "$growing"
shows 'waiting for .*growing\.log' "a file that is not there is waited for"
head -n 100 "$work/all.log" >"$growing"
shows '● LIVE .* [1-9][0-9]* allocs' "it is shown when it comes"
shows 'Follow: ON \[F\]' "it is followed"
sed '1,100d' "$work/all.log" >>"$growing"
shows '106 allocs' "what is appended appears"
shows '0x[0-9a-f]+ +new\[\] +47\.' "the newest is in sight"
press k
shows 'Follow: off' "moving up ends following"
press F
shows 'Follow: ON' "F follows again"
head -n 9 "$work/all.log" >"$growing"
shows '✕ REPLACED' "a file made anew is noticed"
shows 'was written anew; what was read is kept; r loads it' "with what can be done"
shows '106 allocs' "what was read is kept"
press r
shows ' 2 allocs' "r reads it from its start"
cat "$work/all.log" >"$work/new.log"
mv "$work/new.log" "$growing"
shows '✕ REPLACED' "one put in its place too"
press r
shows '106 allocs' "is loaded"

# Made anew in place, and longer than before when it is looked at.
{ tail -n +9 "$work/all.log"; cat "$work/all.log" "$work/all.log"; } |
	dd of="$growing" conv=notrunc bs=1M iflag=fullblock 2>/dev/null
shows '✕ REPLACED' "so is one written over"
shows '106 allocs' "of which nothing is mixed with what was read"
press q
ends 0 "q ends it"

# Whoever writes it is killed.
mkfifo "$work/lines"
"$memtrack" --quiet --no-report -o "$work/killed.mtk" -- sh -c 'while read -r x; do :; done' <"$work/lines" 2>"$work/err" &
memtrack_pid=$!
exec 7>"$work/lines"
view_start 120 30 -f "$work/killed.mtk"
shows '● LIVE .* [1-9][0-9]* allocs' "a program that waits is live"
kill -KILL $memtrack_pid
wait $memtrack_pid 2>/dev/null
shows '✕ NO END' "memtrack's death is noticed"
shows 'no end, and whoever wrote it is gone' "and said"
press F
shows 'nothing to follow' "there is nothing to follow"
press q
ends 0 "q ends it"
view_start 120 30 -f "$work/killed.mtk"
shows '✕ NO END' "also when it was dead before"
echo >>"$work/killed.mtk.new"
mv "$work/killed.mtk.new" "$work/killed.mtk"
shows '✕ REPLACED' "another file in its place is still noticed"
press q
ends 0 "q ends it"
exec 7>&-

# Standard input.
mkfifo "$work/fifo"
view_run 120 30 "'$memview' -f - <'$work/fifo' 2>'$work/stderr'"
exec 7>"$work/fifo"
head -n 100 "$work/all.log" >&7
shows '● LIVE' "a pipe is live"
sed '1,100d' "$work/all.log" >&7
shows '106 allocs' "and shown to its end"
exec 7>&-
shows '✕ DONE' "then it is done"
press f
shows 'Leaks: 51' "keys come from the terminal"
press q
ends 0 "and end it"

# A socket that is not there yet.
command -v python3 >/dev/null || { skip "socket" "python3 is not installed"; done_testing; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
view_start 120 30 ":$port" -o "$work/saved.log"
shows "waiting for :$port" "a port nobody listens on yet is waited for"
python3 - "$port" "$work/all.log" "$work/go" <<'PY' &
import os, socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen(1)
c, _ = s.accept()
data = open(sys.argv[2], "rb").read()
c.sendall(data[:3333])
until = time.time() + 30
while not os.path.exists(sys.argv[3]) and time.time() < until:
    time.sleep(0.02)
c.sendall(data[3333:])
c.close()
PY
server=$!
shows '● LIVE' "a stream is live"
shows '[0-9]+ allocs' "what came is shown"
: >"$work/go"
shows '106 allocs' "and the rest"
shows '✕ DONE' "until the other side closes"
wait $server
is "$(cmp "$work/all.log" "$work/saved.log" 2>&1)" "" "-o saved every byte"
press q
ends 0 "q ends it"
view_start 120 30 "$work/saved.log"
shows '106 allocs' "what was saved replays"
press q
is "$lines" "$(wc -l <"$work/saved.log")" "with all its lines"
done_testing
