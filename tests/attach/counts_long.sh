# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the many programs of counts.sh, which sources this.

# stopped_program NAME PID CALL COMMAND...: a server, stopped in system call CALL (its number) of its main thread, for
# it wakes up by itself; COMMAND makes it work.
stopped_program()
{
	program_name="$1, $inject" target=$2 call=$3
	shift 3
	ok "$program_name: waits" until_ok stop_in "$target" "$call"
	if ! window "$target" "$inject"; then
		not_ok "$program_name" "$(cat "$work/probes.err" "$work/memtrack.err")"
		kill -CONT "$target"
		return
	fi
	kill -CONT "$target"
	"$@" >"$work/load.out" 2>&1
	ok "$program_name: waits again" until_ok stop_in "$target" "$call"
	close_window
	kill -CONT "$target"
	agree "$program_name"
}

# stop_in PID CALL: all threads in state T and in system calls; not when a thread was elsewhere.
stop_in()
{
	kill -STOP "$1" || return
	stop_tries=0
	until ! grep -L '^State:.*T (stopped)' /proc/"$1"/task/*/status | grep -q .; do
		[ $((stop_tries += 1)) -lt 1000 ] || return
	done
	if grep -q "^$2 " "/proc/$1/syscall" && ! grep -qE '^(-1|running) ?' /proc/"$1"/task/*/syscall; then
		return 0
	fi
	kill -CONT "$1"
	return 1
}

built() { $compile "$@" "$source" -pthread 2>"$work/built.err"; }

# form NAME PROGRAM OBJECT [RUNNER]: the caller linked in another way.
form()
{
	places "$3"
	program "$1" $4 "$2" saved 100
	caller_agrees
	program "$1, threads" $4 "$2" threads 20
	caller_counts
}

# Threads make more calls than the program's own; those are in it, byte for byte.
caller_counts()
{
	is "$(awk '/^realloc / { print $2 }' "$work/traced")" "$(awk '/^counted/ { print $4 }' "$work/out")" \
		"$program_name: reallocs as it counts itself"
}

forms()
{
	if built -static -o "$work/static"; then
		form "static" "$work/static" "$work/static"
	else
		skip "static" "cannot be linked"
	fi
	if built -static-pie -o "$work/static_pie"; then
		form "static-pie" "$work/static_pie" "$work/static_pie"
	else
		skip "static-pie" "cannot be linked"
	fi
	compile="musl-gcc -std=gnu11 -D_GNU_SOURCE -O2 -fno-builtin"
	if ! command -v musl-gcc >/dev/null; then
		skip "musl" "musl-gcc is not installed"
		return
	fi
	built -static -o "$work/musl_static" && form "static musl" "$work/musl_static" "$work/musl_static"
	musl=$(private /lib/ld-musl-x86_64.so.1)
	built -o "$work/musl_dynamic" && form "dynamic musl" "$work/musl_dynamic" "$musl" "$musl"
}

# Each form of operator new and delete by its own name, or, mapped, as the malloc and free below it.
operators_program()
{
	places "$libc"
	program "C++ library" "$testbin/attach/operators" library 60
	program "operators" "$testbin/attach/operators" operators 100
	[ "$inject" = dlopen ] || return
	is "$("$dump" --functions "$trace" | awk '$1 ~ /^_Z/ { print $1, $2 }')" "_Znwm 200
_ZnwmRKSt9nothrow_t 100
_ZnwmSt11align_val_t 300
_ZnwmSt11align_val_tRKSt9nothrow_t 100
_Znam 200
_ZnamRKSt9nothrow_t 100
_ZnamSt11align_val_t 200
_ZnamSt11align_val_tRKSt9nothrow_t 100
_ZdlPv 100
_ZdlPvm 100
_ZdlPvRKSt9nothrow_t 100
_ZdlPvSt11align_val_t 100
_ZdlPvmSt11align_val_t 200
_ZdlPvSt11align_val_tRKSt9nothrow_t 100
_ZdaPv 100
_ZdaPvm 100
_ZdaPvRKSt9nothrow_t 100
_ZdaPvSt11align_val_t 100
_ZdaPvmSt11align_val_t 100
_ZdaPvSt11align_val_tRKSt9nothrow_t 100" "$program_name: each by its name"
}

perl_program()
{
	command -v perl >/dev/null || { skip "perl" "it is not installed"; return; }
	program "perl" perl -e 'syswrite STDOUT, "ready\n"; sysread STDIN, $c, 1;
		require POSIX; require Data::Dumper;
		for $i (1 .. 20000) { $h{"key$i"} = [$i, "x" x ($i % 90)]; $n += length($1) if "a$i" =~ /(\d+)/ }
		@s = sort { $h{$a}[0] <=> $h{$b}[0] } keys %h; delete @h{@s[0 .. 9999]};
		$t = Data::Dumper::Dumper(\%h); syswrite STDOUT, "live\n"; sysread STDIN, $c, 1'
}

# It waits for the next line of what it is to do.
sqlite_program()
{
	command -v sqlite3 >/dev/null || { skip "sqlite3" "it is not installed"; return; }
	serve sh -c 'echo ready; exec sqlite3 -batch :memory:'
	until_ok grep -q sqlite3 "/proc/$target/comm"
	until_ok in_read "$target"
	program_name="sqlite3, $inject"
	window "$target" "$inject"
	cat >&6 <<END
create table t (id integer primary key, s text, n real);
with recursive c(i) as (select 1 union all select i + 1 from c where i < 4000) insert into t select i, hex(randomblob(i % 40)), i * 1.5 from c;
create index by_s on t (s);
select count(*), group_concat(substr(s, 1, 3)) from t where s like 'A%' group by length(s);
update t set s = s || 'more' where id % 3 = 0;
delete from t where id % 7 = 0;
.output $work/live
select json_group_array(id) from t where n > 5000;
.output
END
	until_ok in_read "$target" && until_ok test -s "$work/live" && until_ok in_read "$target"
	close_window
	dismiss
	agree "$program_name"
}

git_program()
{
	command -v git >/dev/null || { skip "git" "it is not installed"; return; }
	git init -q "$work/repository"
	seq 1 5000 >"$work/repository/numbers"
	cp "$top_srcdir"/tests/attach/*.c "$work/repository"
	git -C "$work/repository" add . && git -C "$work/repository" -c user.name=t -c user.email=t@t commit -qm all
	git -C "$work/repository" repack -adfq
	git -C "$work/repository" rev-list --objects --all | cut -d ' ' -f 1 >"$work/objects"
	serve sh -c "echo ready; exec git -C $work/repository cat-file --batch"
	until_ok grep -q git "/proc/$target/comm" && until_ok in_read "$target"
	program_name="git, $inject"
	window "$target" "$inject"
	cat "$work/objects" "$work/objects" "$work/objects" >&6
	echo live >&6
	until_ok grep -qa '^live missing' "$work/out" && until_ok in_read "$target"
	close_window
	dismiss
	agree "$program_name"
	rm -rf "$work/repository"
}

# The compiler reads what it compiles from a pipe; the window ends with the process.
compiler_program()
{
	cc1=$(${CC:-gcc} -print-prog-name=cc1 2>/dev/null)
	[ -x "$cc1" ] || { skip "cc1" "it is not installed"; return; }
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -E -I"$top_srcdir" "$top_srcdir/tests/attach/probes.c" >"$work/probes.i"
	serve sh -c "echo ready; exec $cc1 -quiet -fpreprocessed -O2 -o $work/probes.s -"
	until_ok grep -q cc1 "/proc/$target/comm" && until_ok in_read "$target"
	program_name="cc1, $inject"
	window "$target" "$inject"
	cat "$work/probes.i" >&6
	dismiss
	close_window exited
	agree "$program_name"
	ok "$program_name: it has compiled" test -s "$work/probes.s"
}

# It does something ten times a second, and one that has threads cannot be entered while it is stopped.
asleep() { grep -qE '^(230|219) ' "/proc/$server/syscall"; }	# clock_nanosleep, begun or restarted
awake() { ! asleep; }
put_to_sleep()
{
	redis-cli -s "$work/redis" debug sleep 12 >"$work/sleep.out" 2>&1 &
	until_ok asleep
}

redis_program()
{
	command -v redis-server >/dev/null || { skip "redis" "it is not installed"; return; }
	redis_objects=$libc
	jemalloc=$(ldd "$(command -v redis-server)" | awk '/jemalloc/ { print $3 }')
	[ -z "$jemalloc" ] || redis_objects="$libc $(private "$jemalloc")"
	# shellcheck disable=SC2086
	places $redis_objects
	LD_LIBRARY_PATH=$work/lib redis-server --port 0 --unixsocket "$work/redis" --save '' --appendonly no \
		--dir "$work" --enable-debug-command yes >"$work/redis.out" 2>&1 &
	server=$!
	until_ok redis-cli -s "$work/redis" ping
	target=$server program_name="redis-server, $inject"
	put_to_sleep && window "$server" "$inject"
	ok "$program_name: slept while it was entered" asleep
	until_ok awake
	redis-benchmark -s "$work/redis" -n 4000 -c 8 -P 4 -q -t set,get,lpush,hset,zadd >"$work/load.out" 2>&1
	put_to_sleep && close_window
	ok "$program_name: slept while it was left" grep -qE '^(230|219) ' "$work/left"
	agree "$program_name"
	until_ok awake
	redis-cli -s "$work/redis" shutdown nosave >/dev/null 2>&1
	wait $server
}

nginx_program()
{
	command -v nginx >/dev/null && command -v ab >/dev/null || { skip "nginx" "nginx or ab is not installed"; return; }
	mkdir -p "$work/nginx/logs" "$work/nginx/html"
	seq 1 2000 >"$work/nginx/html/numbers.txt"
	port=$(awk 'BEGIN { srand(); print int(20000 + rand() * 20000) }')
	cat >"$work/nginx/nginx.conf" <<END
daemon off; user root; worker_processes 1; pid $work/nginx/pid; error_log $work/nginx/logs/error.log;
events { worker_connections 64; }
http { access_log off; gzip on; gzip_types text/plain; gzip_min_length 1;
	server { listen 127.0.0.1:$port; location / { root $work/nginx/html; } } }
END
	places "$libc"
	LD_LIBRARY_PATH=$work/lib nginx -p "$work/nginx" -c "$work/nginx/nginx.conf" >"$work/nginx.out" 2>&1 &
	server=$!
	until_ok curl -sf "http://127.0.0.1:$port/numbers.txt" -o "$work/answer"
	worker=$(cat "/proc/$server/task/$server/children")
	stopped_program "nginx" "${worker% }" 232 ab -q -n 500 -c 8 -H 'Accept-Encoding: gzip' \
		"http://127.0.0.1:$port/numbers.txt"
	kill "$server"
	wait "$server"
}

rust_program()
{
	command -v rustc >/dev/null || { skip "rust" "rustc is not installed"; return; }
	cat >"$work/rust.rs" <<'END'
use std::collections::{BTreeMap, HashMap};
use std::io::{stdin, stdout, Write};
fn line() { let mut s = String::new(); stdin().read_line(&mut s).unwrap(); }
fn say(s: &str) { let mut o = stdout(); o.write_all(s.as_bytes()).unwrap(); o.flush().unwrap(); }
#[repr(align(128))] struct Wide([u8; 256]);
fn main() {
	say("ready\n"); line();
	let mut total = 0;
	let threads: Vec<_> = (0..4).map(|t| std::thread::spawn(move || {
		let mut m = HashMap::new(); let mut b = BTreeMap::new();
		for i in 0..2000 { m.insert(format!("key{}", i * t), vec![i; i % 50]); b.insert(i, Box::new(Wide([t as u8; 256]))); }
		m.len() + b.len() + b[&7].0.len() })).collect();
	for t in threads { total += t.join().unwrap(); }
	say(if total > 0 { "live\n" } else { "none\n" }); line();
}
END
	rustc -O -o "$work/rust" "$work/rust.rs" >"$work/rust.err" 2>&1 || { skip "rust" "$(tail -n 1 "$work/rust.err")"; return; }
	program "rust" "$work/rust"
}

# A pure Go program has no such function; one with C code calls libc's.
go_program()
{
	[ "$inject" = map ] || return	# its threads wait in system calls of its own: none comes to a safe place
	command -v go >/dev/null || { skip "go" "it is not installed"; return; }
	mkdir -p "$work/go"
	cat >"$work/go/main.go" <<'END'
package main

// #include <stdlib.h>
import "C"
import (
	"os"
	"unsafe"
)

func main() {
	b := make([]byte, 1)
	os.Stdout.WriteString("ready\n")
	os.Stdin.Read(b)
	done := make(chan bool)
	for t := 0; t < 4; t++ {
		go func() {
			for i := 0; i < 2000; i++ {
				s := C.CString("an example")
				p := C.realloc(C.malloc(C.size_t(i%99+1)), 200)
				C.free(p)
				C.free(unsafe.Pointer(s))
			}
			done <- true
		}()
	}
	for t := 0; t < 4; t++ {
		<-done
	}
	os.Stdout.WriteString("live\n")
	os.Stdin.Read(b)
}
END
	(cd "$work/go" && GOFLAGS=-mod=mod GOCACHE="$work/go/cache" GO111MODULE=off go build -o "$work/go/main" main.go) \
		>"$work/go.err" 2>&1 || { skip "go" "$(tail -n 1 "$work/go.err")"; return; }
	program "go, with C" "$work/go/main"
	chmod -R u+w "$work/go"
}

callers_program()
{
	places "$libc"
	program "saved pointers" "$testbin/attach/caller" saved 2000
	caller_agrees
	program "ending threads" "$testbin/attach/caller" threads 300
	program "dlopen loop" "$testbin/attach/caller" load "$testbin/attach/plugin.so" 300
}

python_program()
{
	places "$libc"
	program "python3" "$(python3 -c 'import sys; print(sys.executable)')" "$top_srcdir/tests/attach/imports.py"
	[ ! -x /usr/bin/python3 ] || program "the system's python3" /usr/bin/python3 "$top_srcdir/tests/attach/imports.py"
}

allocators_program()
{
	linked "jemalloc" libjemalloc.so.2
	linked "tcmalloc" libtcmalloc_minimal.so.4
	linked "mimalloc" libmimalloc.so.2
}

for inject in dlopen map; do
	for name in ${MEMTRACK_PROGRAMS:-callers python perl sqlite git compiler rust go operators nginx redis allocators}; do
		[ "$name" = forms ] || places "$libc"
		[ "$name" = forms ] || "${name}_program"
	done
done
# There is no dlopen in these.
inject=auto
case " ${MEMTRACK_PROGRAMS:-forms} " in *" forms "*) forms ;; esac
