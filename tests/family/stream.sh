#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: -f over one stream: every process is a session of its own, in order and whole.
. "${top_srcdir:-.}/tests/tap.sh"
. "${top_srcdir:-.}/tests/family/family.sh"

# session N: facts of that session of stream.mtk
session() { "$dump" --facts stream.mtk "$1"; }

# check NAME: stream.mtk holds `family leak 1000` with its seven children
check()
{
	is "$(for i in 0 1 2 3 4 5 6 7 8; do session $i | grep -c '^end'; done | paste -sd " " -)" \
		"1 1 1 1 1 1 1 1 0" "$1: eight sessions, each with its end"
	is "$(session 0 | tail -n 1)" "file 1 0 0" "$1: the stream is complete"
	is "$("$dump" stream.mtk 0 | awk '$4 == "malloc" && $5 == 10' | wc -l | tr -d ' ')" 1000 "$1: the parent's blocks"
	is "$(for i in 1 2 3 4 5 6 7; do
		"$dump" stream.mtk $i | awk '$4 == "malloc" && $5 == 1048576' | wc -l | tr -d ' '
	done | paste -sd " " -)" "1 1 1 1 1 1 1" "$1: each child's block"
	is "$(for i in 1 2 3 4 5 6 7; do session $i | grep -c -e '^fact number '$i'$' -e '^fact came fork'; done | paste -sd " " -)" \
		"2 2 2 2 2 2 2" "$1: facts of each"
	is "$(session 0 | awk '$1 == "relative" && $6 { print $2, $8 }' | wc -l | tr -d ' ')" 7 "$1: the first knows the others"
}

"$memtrack" -q --no-report -f -o - "$family" leak 1000 >stream.mtk 2>err
is "$?:$(cat err):$(ls memtrack.* 2>/dev/null)" "0::" "to stdout, no file beside"
check "to stdout"
"$memtrack" -q --no-report -f -o - --format text true >out 2>err
is "$?" 125 "as text it is refused"
like "$(cat err)" "give -o FILE" "with the remedy"

if command -v python3 >/dev/null; then
	cat >client.py <<'END'
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
while True:
    data = s.recv(65536)
    if not data:
        break
    sys.stdout.buffer.write(data)
END
	"$memtrack" --no-report --port 0 -f -o copy.mtk "$family" leak 1000 >out 2>err &
	until port=$(sed -n 's/.*memview 127\.0\.0\.1:\([0-9]*\)$/\1/p' err) && [ -n "$port" ]; do sleep 0.05; done
	python3 client.py "$port" >stream.mtk
	wait $!
	is "$?:$(ls copy.mtk*)" "0:copy.mtk" "over TCP, no file of a child"
	check "over TCP"
	ok "the copy is what was served" cmp stream.mtk copy.mtk
fi
done_testing
