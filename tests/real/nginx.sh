# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: nginx, a master and two workers that it forks, under load.
. "${top_srcdir:-.}/tests/real/real.sh"
need nginx ab curl

mkdir -p "$work/logs" "$work/html"
seq 1 2000 >"$work/html/numbers.txt"
# As root the workers would become nobody, who must reach the page.
chmod 755 "$work"
# configuration PORT
configuration()
{
	cat >"$work/nginx.conf" <<END
daemon off;
worker_processes 2;
pid $work/nginx.pid;
error_log $work/logs/error.log;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f;
	uwsgi_temp_path $work/u; scgi_temp_path $work/s;
	gzip on; gzip_types text/plain; gzip_min_length 1;
	server { listen 127.0.0.1:$1; location / { root $work/html; } }
}
END
}

# serve COMMAND...: $answer, $load and the exit status of nginx.
serve()
{
	for port in $(awk 'BEGIN { srand(); for (i = 0; i < 5; i++) print int(20000 + rand() * 20000) }'); do
		configuration "$port"
		"$@" nginx -p "$work" -c "$work/nginx.conf" >"$work/server.out" 2>"$work/server.err" &
		server=$!
		tries=0
		until curl -sf "http://127.0.0.1:$port/numbers.txt" -o "$work/answer" || [ $((tries += 1)) -gt 50 ]; do
			[ -d /proc/$server ] || break
			sleep 0.1
		done
		[ ! -s "$work/answer" ] || break
	done
	cmp "$work/answer" "$work/html/numbers.txt" >/dev/null && answer=same || answer=other
	load=$(ab -q -n 2000 -c 16 -H 'Accept-Encoding: gzip' "http://127.0.0.1:$port/numbers.txt" 2>&1 |
		awk '/^(Complete|Failed|Non-2xx)/ { print $1, $NF }')
	[ ! -f "$work/nginx.pid" ] || kill -QUIT "$(cat "$work/nginx.pid")"
	wait $server
}

serve env
is "$? $answer" "0 same" "untraced: serves and exits 0"
plain_load=$load
mkdir "$work/traces" "$work/counts"
chmod 1777 "$work/counts"
rm -f "$work/answer"
MEMTRACK_TEST_COUNTER=$work/counts/c
export MEMTRACK_TEST_COUNTER
serve env LD_PRELOAD="$counter" "$memtrack" --no-report --follow -o "$work/traces/t.mtk"
is "$? $answer" "0 same" "traced: serves and exits 0"
is "$load" "$plain_load" "traced: all requests are answered"
is "$(cat "$work/server.err")" "" "traced: nothing on stderr"
check_family nginx 3
done_testing
