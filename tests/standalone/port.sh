# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: MEMTRACK_PORT: the program is a server and waits for its viewer.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"

# A port that nobody listens on: by process number, and the next if it is taken.
base=$((20000 + $$ % 20000))
next_port() { port=$((base += 1)); }

# served [VARIABLE=VALUE...] -- CLIENT-ARGUMENTS: one run, what the client got in $work/got.
served()
{
	served_variables=
	while [ "$1" != -- ]; do
		served_variables="$served_variables $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	alone MEMTRACK_PORT=$port $served_variables -- "$programs/process" limit 100000000 &
	served_pid=$!
	timeout 60 "$programs/client" "$port" "$@" >"$work/got"
	wait $served_pid
	status=$?
}
alone_and_status() { alone "$@"; return $status; }

next_port
served MEMTRACK_STACK_DEPTH=4 --
mv "$work/got" "$log"
is "$(cat "$work/out")$(cat "$work/err")" "signals 0" "nothing on stderr"
well_formed "what the client got" causal
is "$(grep -c 'size=1111 ' "$log")" 2000 "the client got all, and the end"
like "$(cat "$log")" '#0 ' "with frames"

next_port
served MEMTRACK_OUTPUT="$work/other" --
is "$(grep -c 'size=1111 ' "$work/got")" 2000 "MEMTRACK_PORT wins over MEMTRACK_OUTPUT"
ok "which is not made" [ ! -e "$work/other" ]

next_port
served -- 5000
is "$(cat "$work/out")" "signals 0" "a client that hangs up: the program goes on, without SIGPIPE"
is "$(cat "$work/err")" "memtrack.so: cannot write the log: the reader is gone; recording has ended" "one line"
is "$(wc -c <"$work/got")" 5000 "the client had its part"

# memview reads it as any other stream.
next_port
alone MEMTRACK_PORT=$port MEMTRACK_STACK_DEPTH=4 -- "$programs/process" leave _exit &
timeout 60 "$memview" --report ":$port" >"$work/report" 2>"$work/report.err"
is $? 0 "memview --report :PORT"
wait
like "$(cat "$work/report")" '16.3 KiB|16,6[0-9][0-9]|16665' "has the five blocks of 3333 bytes"

# The address
for address in 127.0.0.1: localhost: '*:' 0.0.0.0: ''; do
	next_port
	port=$address$port
	alone MEMTRACK_PORT="$port" -- "$programs/process" keep 1111 &
	timeout 60 "$programs/client" "${port##*:}" >"$work/got"
	wait
	is "$(grep -c 'size=1111 ' "$work/got")$(cat "$work/err")" 20 "MEMTRACK_PORT=${address}PORT"
done

# What cannot be: stderr, with a line in front.
bad()
{
	alone MEMTRACK_PORT="$1" -- "$programs/process" keep 1111
	is "$status $(grep -c '^memtrack.so: ' "$work/err") $(grep -c 'size=1111 ' "$work/err")" "0 1 20" \
		"MEMTRACK_PORT=$1: a line, and the log on stderr"
	like "$(head -n 1 "$work/err")" "^memtrack.so: .*MEMTRACK_PORT.*'$1'.*stderr$" "which says so"
}
bad 0
bad 65536
bad nonsense
bad 1.2.3:4000
bad '300.1.1.1:4000'
bad 192.0.2.1:4000
bad 5x
next_port
"$programs/client" "$port" >/dev/null &	# holds nothing; the first server takes the port for good
first=$!
alone MEMTRACK_PORT=$port -- "$programs/process" leave exit
wait $first
taken=$port
timeout 60 env MEMTRACK_PORT="$taken" LD_PRELOAD="$hook" "$programs/process" keep 1 2>/dev/null &
waiting=$!
# The second one finds the port taken as soon as the first one listens.
for i in 1 2 3 4 5 6 7 8 9 10; do
	grep -q ":$(printf '%04X' "$taken") 00000000:0000 0A" /proc/net/tcp && break
	sleep 0.5
done
bad "$taken"
like "$(head -n 1 "$work/err")" 'Address already in use' "a port that is taken: why"
"$programs/client" "$taken" >/dev/null
wait $waiting
is $? 0 "the program that had it runs once its client came"
done_testing
