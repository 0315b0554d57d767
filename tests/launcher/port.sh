#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: --port serves the trace: the command waits for a viewer, every viewer gets all of it,
# and none can disturb the command.
. "${top_srcdir:-.}/tests/tap.sh"
need python3

dump=$testbin/tools/trace_dump

# Errors, one line each, with nothing started.
for spec in nonsense 99999 -1 1.2.3.4 "" :; do
	"$memtrack" --port "$spec" touch "$work/started" 2>"$work/err"
	is "$?:$(grep -c . "$work/err")" "125:1" "--port '$spec' is refused"
done
"$memtrack" --port 192.0.2.1:0 touch "$work/started" 2>"$work/err"
is $? 125 "an address that is not ours is refused"
like "$(cat "$work/err")" "^memtrack: cannot listen on '192.0.2.1:0'" "by name"
ok "nothing was started" test ! -e "$work/started"

# client HOW PORT FILE: reads all / 1000 bytes / nothing for a while / connects late.
cat >"$work/client.py" <<'END'
import socket, sys, time
how, port, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
s = socket.create_connection(("127.0.0.1", port))
if how == "leave":
    s.recv(1000)
    sys.exit(0)
if how == "sleep":
    time.sleep(60)
with open(name, "wb") as out:
    while True:
        data = s.recv(65536)
        if not data:
            break
        out.write(data)
        if how == "slow":
            time.sleep(0.02)
END
client() { python3 "$work/client.py" "$@"; }

# start ARG...: memtrack in the background; $port once it listens.
start()
{
	: >"$work/err"
	"$memtrack" --no-report --port 0 "$@" >"$work/out" 2>"$work/err" &
	launcher=$!
	tries=0
	until port=$(sed -n 's/.*memview 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$work/err") && [ -n "$port" ]; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || return 1
		sleep 0.02
	done
}

busy='
import sys, time
for i in range(20):
    l = [str(j) for j in range(3000)]
    time.sleep(0.02)
print("done")'

start -o "$work/copy.mtk" sh -c 'echo started; exit 3'
sleep 0.5
is "$(cat "$work/out")" "" "the command waits for a viewer"
client all "$port" "$work/a.mtk"
wait $launcher
is "$?:$(cat "$work/out")" "3:started" "then it runs"
ok "the viewer got the bytes of the file" cmp "$work/a.mtk" "$work/copy.mtk"
like "$("$dump" --facts "$work/a.mtk")" '^end .* 3 ' "to the end"

start env PYTHONMALLOC=malloc python3 -c "$busy"
client slow "$port" "$work/a.mtk" & a=$!
client all "$port" "$work/b.mtk" & b=$!
client leave "$port" /dev/null
sleep 0.2
client all "$port" "$work/c.mtk" & c=$!
client sleep "$port" /dev/null & d=$!
sleep 0.1
kill -KILL $d
wait $a $b $c
wait $launcher
is "$?:$(cat "$work/out")" "0:done" "viewers come and go, the command runs"
ok "two viewers saw the same" cmp "$work/a.mtk" "$work/b.mtk"
ok "a late one too" cmp "$work/a.mtk" "$work/c.mtk"
like "$("$dump" --facts "$work/a.mtk" | tail -n 1)" '^file 1 0 0' "a whole trace"

start --no-wait sh -c 'echo went on'
wait $launcher
is "$?:$(cat "$work/out")" "0:went on" "--no-wait does not"
start sh -c 'trap "exit 9" TERM; echo no'
sleep 0.3
kill -TERM $launcher
wait $launcher
is "$?:$(cat "$work/out")" "143:" "a signal ends the wait for a viewer"

python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(30)' >"$work/busy" & holder=$!
until [ -s "$work/busy" ]; do sleep 0.02; done
"$memtrack" --port "$(cat "$work/busy")" true 2>"$work/err"
is $? 125 "a port in use is refused"
like "$(cat "$work/err")" "cannot listen on .*: Address already in use" "with the reason"
kill $holder
wait $holder 2>/dev/null

start --no-wait env PYTHONMALLOC=malloc python3 -c "$busy"
client sleep "$port" /dev/null & d=$!
wait $launcher
is "$?:$(cat "$work/out")" "0:done" "a viewer that does not read cannot hold memtrack for ever"
kill -KILL $d 2>/dev/null
wait $d 2>/dev/null
done_testing
