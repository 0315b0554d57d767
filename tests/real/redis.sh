# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: redis-server (jemalloc) under redis-benchmark.
. "${top_srcdir:-.}/tests/real/real.sh"
need redis-server redis-benchmark redis-cli

socket=$work/redis.sock
# serve COMMAND...: starts the server, loads it, shuts it down.
serve()
{
	"$@" redis-server --port 0 --unixsocket "$socket" --save '' --appendonly no --loglevel warning \
		--dir "$work" >"$work/server.out" 2>"$work/server.err" &
	server=$!
	tries=0
	until redis-cli -s "$socket" ping >/dev/null 2>&1 || [ $((tries += 1)) -gt 100 ]; do
		sleep 0.1
	done
	redis-benchmark -s "$socket" -n 10000 -c 20 -P 4 -q -t set,get,lpush,hset,zadd >"$work/load.out" 2>&1
	load_status=$?
	redis-cli -s "$socket" shutdown nosave >/dev/null 2>&1
	wait $server
}

serve env
is $? 0 "untraced: exits 0"
mkdir "$work/traces" "$work/counts"
MEMTRACK_TEST_COUNTER=$work/counts/c
export MEMTRACK_TEST_COUNTER
serve env LD_PRELOAD="$counter" "$memtrack" $options -o "$work/traces/t.mtk"
is $? 0 "traced: exits 0"
is "$load_status" 0 "traced: the benchmark ran"
is "$(cat "$work/server.err")" "" "traced: nothing on stderr"
check_traces redis
done_testing
