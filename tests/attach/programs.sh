# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the part of tests/attach/targets.sh that takes long: programs of all sorts at work, which say OK when all was
# well; sanitizers, other languages, servers under load.

# works NAME PID: attaches in both forms until it ends; refusals are allowed, harm is not.
works()
{
	works_done=0 works_refused=0
	while kill -0 "$2" 2>/dev/null; do
		for form in dlopen map; do
			if timeout 60 "$work/attach" $form "$2" >"$work/why"; then
				works_done=$((works_done + 1))
			elif [ $? = 125 ]; then
				works_refused=$((works_refused + 1))
			else
				kill -KILL "$2"
			fi
		done
		sleep 0.1
	done
	wait "$2"
	is "$? $(tail -n 1 "$work/out")" "${3:-0 OK}" "$1: $works_done sessions, $works_refused refused" ||
		diag "$(cat "$work/why" "$work/out2")"
}
# at_work NAME COMMAND...
at_work()
{
	at_work_name=$1
	shift
	"$@" >"$work/out" 2>"$work/out2" &
	sleep 0.5
	works "$at_work_name" $!
}

cat >busy.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static time_t end;
static void *work(void *unused)
{
	const struct timespec nap = { 0, 1000000 };

	while (time(NULL) < end) {
		for (int i = 1; i < 100; i++) {
			char *p = malloc(i * 10);

			memset(p, i, i * 10);
			p = realloc(p, i * 30);
			for (int k = 0; k < i * 10; k++)
				if (p[k] != i)
					abort();
			free(p);
		}
		nanosleep(&nap, NULL);
	}
	return unused;
}
int main(void)
{
	pthread_t threads[3];

	end = time(NULL) + 6;
	for (int k = 0; k < 3; k++)
		pthread_create(&threads[k], NULL, work, NULL);
	for (int k = 0; k < 3; k++)
		pthread_join(threads[k], NULL);
	puts("OK");
	return 0;
}
END
for flags in -fsanitize=address,undefined "-fsanitize=address -static-libasan" -fsanitize=thread -static; do
	# shellcheck disable=SC2086
	if gcc -O1 -g -pthread $flags -o busy busy.c 2>/dev/null; then
		# Its leak check at the end traces the process itself.
		ASAN_OPTIONS=detect_leaks=0 at_work "gcc $flags" ./busy
	else
		skip "gcc $flags" "cannot be built here"
	fi
done
for flags in -fsanitize=address -fsanitize=memory; do
	if clang -O1 -g -pthread $flags -o busy busy.c 2>/dev/null; then
		ASAN_OPTIONS=detect_leaks=0 at_work "clang $flags" ./busy
	else
		skip "clang $flags" "cannot be built here"
	fi
done

cat >Busy.java <<'END'
public class Busy {
	public static void main(String[] words) throws Exception {
		Thread[] threads = new Thread[30];
		long end = System.currentTimeMillis() + 8000;
		for (int i = 0; i < 30; i++) {
			threads[i] = new Thread(() -> {
				byte[] out = new byte[9000];
				while (System.currentTimeMillis() < end) {
					java.util.zip.Deflater d = new java.util.zip.Deflater();
					d.setInput(new byte[8000]);
					d.finish();
					d.deflate(out);
					d.end();
					try { Thread.sleep(5); } catch (Exception e) { }
				}
			});
			threads[i].start();
		}
		for (Thread t : threads)
			t.join();
		System.out.println("OK");
	}
}
END
if javac Busy.java 2>/dev/null; then
	at_work "a Java machine of 30 threads" java -cp . Busy
else
	skip "a Java machine" "no compiler for it"
fi
cat >busy.go <<'END'
package main

import (
	"fmt"
	"time"
)

func main() {
	done := make(chan bool)
	end := time.Now().Add(4 * time.Second)
	for i := 0; i < 8; i++ {
		go func() {
			m := map[int][]byte{}
			for n := 0; time.Now().Before(end); n++ {
				m[n%100] = make([]byte, n%5000+1)
				if n%200 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			done <- true
		}()
	}
	for i := 0; i < 8; i++ {
		<-done
	}
	fmt.Println("OK")
}
END
if command -v go >/dev/null && HOME=$work go build -o busy-go busy.go 2>/dev/null; then
	at_work "Go" ./busy-go
else
	skip "Go" "no compiler for it"
fi
cat >busy.py <<'END'
import json, threading, time
end = time.time() + 6
def work():
    while time.time() < end:
        d = {str(i): [i] * 50 for i in range(100)}
        assert json.loads(json.dumps(d)) == d
        time.sleep(0.005)
threads = [threading.Thread(target=work) for k in range(30)]
for t in threads: t.start()
time.sleep(1)
import sqlite3, ssl, decimal, ctypes
for t in threads: t.join()
print("OK")
END
at_work "Python of 30 threads" "$(readlink -f /usr/bin/python3)" busy.py
command -v node >/dev/null && at_work "node" node -e 'const z = require("zlib"), e = Date.now() + 6000;
	(function f() { for (let i = 0; i < 20; i++) z.deflate(Buffer.alloc(5000), () => {});
	if (Date.now() < e) setTimeout(f, 5); else console.log("OK"); })()'
# shellcheck disable=SC2016
at_work "a shell" sh -c 'n=0; while [ $n -lt 2000 ]; do x=$(echo $n); n=$((n + 1)); done; echo OK'

## Servers: their clients must not notice.
if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	redis-server --port 0 --unixsocket "$work/redis" --save '' --io-threads 2 >"$work/out2" 2>&1 &
	target=$!
	sleep 1
	{ redis-benchmark -s "$work/redis" -n 200000 -t set,get,lpush,lpop -q >"$work/load" 2>&1
	redis-cli -s "$work/redis" set state OK >/dev/null && redis-cli -s "$work/redis" get state >"$work/out"
	redis-cli -s "$work/redis" shutdown nosave; } &
	works "redis under load" $target
	unlike "$(cat "$work/load")" "[Ee]rror" "redis: no client saw an error"
else
	skip "redis under load" "not installed"
fi
if command -v nginx >/dev/null && command -v ab >/dev/null; then
	mkdir -p www logs && head -c 20000 /dev/zero >www/file
	cat >nginx.conf <<-END
		daemon off; worker_processes 1; pid $work/nginx.pid; error_log $work/nginx.err;
		events { worker_connections 200; }
		http { access_log off; server { listen 127.0.0.1:18911; root $work/www; gzip on; gzip_types *; } }
	END
	chmod -R a+rX "$work"
	nginx -c "$work/nginx.conf" >"$work/out2" 2>&1 &
	master=$!
	sleep 1
	target=$(pgrep -P $master | head -n 1)
	ab -q -k -n 20000 -c 20 -H "Accept-Encoding: gzip" http://127.0.0.1:18911/file >"$work/load" 2>&1 &
	load=$!
	sessions=0
	while kill -0 $load 2>/dev/null; do
		for form in dlopen map; do
			"$work/attach" $form "$target" >"$work/why" && sessions=$((sessions + 1))
		done
	done
	like "$(cat "$work/load")" "Failed requests: *0$" "nginx under load: $sessions sessions, no request failed"
	like "$(cat "$work/load")" "Complete requests: *20000" "nginx under load: all were answered"
	is "$(pgrep -P $master | head -n 1)" "$target" "nginx: the worker is the same"
	kill -QUIT $master
	wait $master
else
	skip "nginx under load" "not installed"
fi
