# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook's unwinder gives the same stacks as glibc's backtrace(), at every heap call.
. "${top_srcdir:-.}/tests/tap.sh"

probe=$(cd "$top_builddir" && pwd)/tests/unwind/probe.so
verdict=$work/verdict
bin=$testbin/unwind
[ -f "$probe" ] || skip_all "the probe is not built"

# probed NAME LEAST ENV=... PROGRAM [ARG...]: the program works, some process of it had at least
# LEAST stacks, none of any process differ.
probed()
{
	name=$1
	least=$2
	shift 2
	rm -f "$verdict"
	env UNWIND_PROBE_OUT="$verdict" LD_PRELOAD="$probe" "$@" >"$work/out" 2>"$work/err"
	is $? 0 "$name: the program works"
	bad=$(grep -c -v ': [0-9]* stacks, [0-9]* frames, 0 different;' "$verdict")
	is "$bad" 0 "$name: no stack differs"
	[ "$bad" = 0 ] || head -n 60 "$verdict" | sed 's/^/# /'
	most=$(sed -n 's/.*: \([0-9]*\) stacks,.*/\1/p' "$verdict" | sort -n | tail -n 1)
	ok "$name: $most stacks, at least $least" [ "${most:-0}" -ge "$least" ]
}

# ended NAME ROOT COUNT: of the last program's stacks, COUNT ended so.
ended()
{
	is "$(sed -n "s/^unwind_probe hard.* $2 \([0-9]*\).*/\1/p" "$verdict")" "$3" "$1: $3 stacks $2"
}

for name in frames signals timer threads recursion longjmp; do
	probed "$name" 100 "$bin/hard" "$name"
done
probed altstack 500 UNWIND_PROBE_RANGES=1 "$bin/hard" altstack
ended altstack unreadable 0
probed "altstack without ranges" 500 "$bin/hard" altstack
probed coroutines 600 "$bin/hard" coroutines
ended coroutines unreadable 0
probed "coroutines with ranges" 600 UNWIND_PROBE_RANGES=1 "$bin/hard" coroutines
ended "coroutines with ranges" unreadable 0
probed "code without CFI" 12 "$bin/hard" bare
ended "code without CFI" unknown 12
probed "code made at run time" 40 "$bin/hard" jit
ended "code made at run time" unknown 20
ended "code made at run time" beyond 20
probed plugins 1000 "$bin/hard" plugins "$bin/plugin_small.so" "$bin/plugin_large.so"
probed "plugins, dlclose unseen" 1000 UNWIND_PROBE_DLCLOSE=1 "$bin/hard" plugins \
	"$bin/plugin_small.so" "$bin/plugin_large.so"
probed C++ 10000 "$bin/hard_cxx"

# real_program NAME LEAST ...: skipped where the program is not installed.
real_program()
{
	if command -v "$3" >/dev/null 2>&1; then
		name=$1
		least=$2
		shift 2
		probed "$name" "$least" UNWIND_PROBE_EVERY=5 PYTHONMALLOC=malloc "$@"
	else
		ok "$1 # SKIP $3 is not installed"
	fi
}

python=/usr/bin/python3
[ -x $python ] || python=python3
real_program python 20000 $python -c 'import json, threading
text = json.dumps([{"a": i, "b": [i] * 3} for i in range(1000)])
json.loads(text)
threads = [threading.Thread(target=json.loads, args=(text,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]'
real_program perl 5000 perl -e 'my %h; $h{$_} = [$_] for 1 .. 10000;'
real_program sqlite3 1000 sqlite3 :memory: 'create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)
insert into t select x, x * x from c; create index i on t(b); select a % 7, sum(b) from t group by 1;'
real_program compiler 20000 ${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -I"$top_srcdir" \
	-c "$top_srcdir/tests/unwind/hard.c" -o "$work/hard.o"

done_testing
