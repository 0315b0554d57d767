# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: programs under a hook that walks every stack twice and ends them at the first difference;
# MEMTRACK_LONG=1: whole tests under it, too, and larger real programs.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
MEMTRACK_HOOK=$testbin/oracle/memtrack.so
MEMTRACK_VERIFY=$work/page
export MEMTRACK_HOOK MEMTRACK_VERIFY
[ -f "$MEMTRACK_HOOK" ] || skip_all "the verifying hook is not built"

# verified NAME LEAST COMMAND...: its stacks, LEAST at least, in all of its processes, are the same
# however they are walked; it ends as it does untraced.
verified()
{
	name=$1 least=$2
	shift 2
	timeout 300 "$@" >"$work/out" 2>"$work/err" </dev/null
	native=$?
	watched "$name" "$least" "$native" "$memtrack" -q --no-report -f -d 256 --free-stacks \
		-o "$work/t.mtk" -- "$@"
	rm -f "$work"/t.mtk*
}

# watched NAME LEAST STATUS COMMAND...: COMMAND itself starts memtrack.
watched()
{
	name=$1 least=$2 status=$3
	shift 3
	head -c 4096 /dev/zero >"$MEMTRACK_VERIFY"
	chmod 666 "$MEMTRACK_VERIFY"
	timeout 300 "$@" >"$work/out" 2>"$work/err" </dev/null
	is $? "$status" "$name: ends as ever" || tail -n 40 "$work/out" "$work/err" | sed 's/^/# /'
	# shellcheck disable=SC2046
	set -- $(od -An -v -tu8 -N40 "$MEMTRACK_VERIFY")
	is "$5" 0 "$name: no stack differs" ||
		grep -a -h -A 40 'two walks' "$work/out" "$work/err" | sed 's/^/# /'
	ok "$name: $1 stacks, $2 frames ($3 unsure, $4 skipped), at least $least" \
		[ $(($1 - $3 - $4)) -ge "$least" ]
}

for name in garbage noreturn frames deep small migrate jit; do
	verified "shapes $name" 3 "$testbin/unwind/shapes" "$name"
done
grep -ls memtrack_test_jitted /tmp/perf-*.map 2>/dev/null | xargs rm -f
for name in frames signals timer altstack coroutines threads recursion longjmp bare jit; do
	verified "hard $name" 10 "$testbin/unwind/hard" "$name"
done
verified "hard plugins" 500 "$testbin/unwind/hard" plugins "$testbin/unwind/plugin_small.so" \
	"$testbin/unwind/plugin_large.so"
verified "hard C++" 10000 "$testbin/unwind/hard_cxx"
verified "lazy binding" 4 "$testbin/unwind/lazy"
[ "$(uname -m)" != x86_64 ] || verified "single steps" 20000 "$testbin/oracle/steps"
verified exceptions 10000 "$testbin/cxx/throws"
verified "C++ in C" 10 "$testbin/cxx/opener" "$testbin/cxx/opened.so"
for name in d30_heap d30_jump d31_all_signals d33_small_stack c20_handlers c23_vfork; do
	verified "$name" 100 "$testbin/hazards/$name"
done

# real NAME LEAST COMMAND...
real()
{
	if command -v "$3" >/dev/null 2>&1; then
		verified "$@"
	else
		skip "$1" "$3 is not installed"
	fi
}

python=/usr/bin/python3
[ -x $python ] || python=python3
many=1
[ -z "${MEMTRACK_LONG:-}" ] || many=10
real python 3000 $python -c "import json, threading
text = json.dumps([{'a': i, 'b': [i] * 3} for i in range(300 * $many)])
threads = [threading.Thread(target=json.loads, args=(text,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]"
real perl 10000 perl -e "my %h; \$h{\$_} = [\$_] for 1 .. 3000 * $many;"
real sqlite3 1000 sqlite3 :memory: "create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 1000 * $many)
insert into t select x, x * x from c; create index i on t(b); select a % 7, sum(b) from t group by 1;"
real git 100 git --version
real compiler 10000 ${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -I"$top_srcdir" \
	-c "$top_srcdir/hook/clock.c" -o "$work/clock.o"

[ -n "${MEMTRACK_LONG:-}" ] || done_testing

for name in unwind/shapes cxx/cxx loader/churn loader/epochs loader/constructors loader/deepbind hazards/signals \
	hazards/fork hazards/threads hazards/startup hazards/datapath hazards/accounting soak/soak; do
	watched "$name.sh" 100 0 sh "$top_srcdir/tests/$name.sh"
done
real c++ 100000 ${MEMTRACK_CXX:-c++} -std=gnu++17 -O1 -c "$top_srcdir/tests/unwind/hard_cxx.cpp" -o "$work/cxx.o"
real clang 100000 clang -O1 -c "$top_srcdir/hook/clock.c" -I"$top_srcdir" -o "$work/clock.o"
real git 1000 git -C "$top_srcdir" log --stat -5
real jq 1000 jq -n '[range(3000) | {a: ., b: [.]}] | map(.a) | add'
real xmllint 300 xmllint --version
real gdb 10000 gdb -q -batch -ex 'info functions mem' "$memtrack"
real node 100000 node -e 'const a = []; for (let i = 0; i < 9999; i++) a.push({x: i}); console.log(JSON.stringify(a).length)'
done_testing
