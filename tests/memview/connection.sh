#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a recorded live session played again: waiting, live, lost, connected again, done.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"
need python3

play=$top_srcdir/tests/memview/session.py

# record NAME: what a run of the program looks like on the wire.
record()
{
	"$memtrack" --no-report --port 0 "$testbin/memview/session" 2>"$work/err" &
	launcher=$!
	port=
	listens() { port=$(sed -n 's/.*memview 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$work/err") && [ "$port" ]; }
	view_wait listens
	python3 "$play" record "$port" "$work/$1"
	wait $launcher
}

record first
is $? 4 "a session was recorded"
record second
ok "over some time" [ "$(wc -l <"$work/first.times")" -gt 4 ]

mkfifo "$work/orders" "$work/answers"
python3 "$play" serve "$work/first" "$work/second" <"$work/orders" >"$work/answers" &
exec 6>"$work/orders" 5<"$work/answers"
read -r port <&5
server() { echo "$*" >&6; read -r answer <&5; }

view_start 120 30 ":$port" -o "$work/saved"
server accept
shows '✕ WAIT' "connected, and nothing came yet: it waits"
# How far in the stream the first events are depends on the machine.
percent=30
allocs() { screen | sed -n '1s/.* \([0-9,]*\) allocs.*/\1/p' | tr -d ,; }
some() { [ "$(allocs)" -gt 40 ]; }
server to $percent
until (view_patience=2 && view_wait some) || [ $percent -gt 70 ]; do
	percent=$((percent + 5))
	server to $percent
done
shows '● LIVE .* [1-9][0-9,]* allocs' "what comes is shown live"
press g j j j M
press v v c /
type_text work
press Enter
shows '/work' "something was selected"
press V V g j j j
marked() { screen | sed -n 3p | grep -q '▁1'; }
ok "and marked" view_wait marked
pointer() { screen | sed -n 's/.*Pointer *: \(0x[0-9a-f]*\).*/\1/p'; }
shows 'Pointer *: 0x' "the cursor is on a block"
at=$(pointer)

server reset
shows '✕ LOST' "a connection that breaks"
shows 'Connection reset by peer; what came is kept; r connects again' "is said, with what can be done"
before=$(allocs)
ok "what came is kept" [ "$before" ]
is "$(pointer)" "$at" "the cursor stays"
shows 'Leaks: 0 \(0 B\)' "nobody knows yet what leaks"
server away
press r
shows "waiting for :$port" "r tries again"
press r
shows 'given up' "or gives up"
server back
press r
server accept
server to 20
shows 'reading again what is known: [1-9][0-9]*%' "the new connection repeats what is known"
is "$(allocs)" "$before" "which is not shown twice"
server to 85
shows '● LIVE' "then it goes on"
grew() { [ "$(allocs)" -gt "$before" ]; }
ok "with what is new" view_wait grew
is "$(pointer)" "$at" "on the same block"
ok "with the marker" view_wait marked
shows '/work' "and the search"

server close
shows '✕ LOST' "one that is closed without the trace's end"
shows ":$port ended before the trace did" "is lost as well"
press r
server accept
server other
shows 'Another program is traced there now' "another program there is told from this one"
press x Enter
shows 'Another program is traced there now' "only y, n and Esc answer"
press n
hides 'Another program' "n does"
shows '✕ LOST' "no: this one is kept"
is "$(pointer)" "$at" "and where one was in it"
press r
server accept
server to 100
shows '✕ DONE .*exit status 4' "the end comes through"
server close
hides 'LOST' "after it the connection may go"
press / C-u Enter
hides '/work' "without the search"
press g j j j
ask "rests 20000"
screen | sed -n '2p;5,$p' | sed 's/Follow.*//' >"$work/screen.live"
is "$(cmp "$work/first" "$work/saved" 2>&1)" "" "-o saved every byte, once"
press q
ends 0 "q ends it"

# The same trace from a file gives the same picture.
view_start 120 30 "$work/first"
shows '✕ DONE .*exit status 4' "the same as a file"
press g j j j M
press v v c V V g j j j
ask "rests 20000"
screen | sed -n '2p;5,$p' | sed 's/Follow.*//' >"$work/screen.file"
is "$(diff "$work/screen.file" "$work/screen.live")" "" "looks the same"
press q

# lost_and_found [OPTION...]: a session that is lost, and r, for which somebody is there again.
lost_and_found()
{
	view_start 120 30 ":$port" "$@"
	server accept
	server to 45
	shows '● LIVE' "a session"
	server reset
	shows '✕ LOST' "is lost"
	press r
	server accept
}

# Another program, and it is wanted.
lost_and_found
server other
shows 'Another program is traced there now' "another one is there"
press y
shows '● LIVE' "yes: it is shown"
shows 'another trace' "instead"
press q
ends 0 "q ends it"

# It has ended by the time of the answer, and nobody is there any more.
lost_and_found -o "$work/saved.again"
server other 100
server close
server away
shows 'Another program is traced there now' "another one was there"
press Escape
hides 'Another program' "Esc is an answer"
shows '✕ LOST' "and keeps what is shown"
server back
press r
server accept
server other 100
server close
server away
shows 'Another program is traced there now' "and r asks again"
press y
shows '✕ DONE .* [1-9][0-9,]* allocs.*exit status 4' "yes: it is shown to its end, though it is gone"
shows 'another trace; what was saved is the one before' "and not saved over the other"
press q
ends 0 "q ends it"
server back

# Nobody comes back.
view_start 120 30 ":$port"
server accept
server to 45
shows '● LIVE' "a session"
server close
shows '✕ LOST' "is lost for good"
press q
ends 0 "and left"
exec 6>&- 5<&-
done_testing
