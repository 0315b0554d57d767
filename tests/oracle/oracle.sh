# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: stacks of real programs are those that libdw finds from outside in the stopped thread;
# MEMTRACK_LONG=1: 10,000 samples.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
MEMTRACK_HOOK=$testbin/oracle/memtrack.so
export MEMTRACK_HOOK
[ -f "$MEMTRACK_HOOK" ] || skip_all "the verifying hook is not built"
few=40
[ -z "${MEMTRACK_LONG:-}" ] || few=1000
sum_samples=0 sum_frames=0 sum_same=0 sum_lacking=0

# compared NAME EVERY COMMAND...: of about every EVERYth stack, libdw sees the same.
compared()
{
	name=$1 every=$2
	shift 2
	if ! command -v "$1" >/dev/null 2>&1; then
		skip "$name" "$1 is not installed"
		return
	fi
	timeout 500 "$testbin/oracle/compare" -n $few -e "$every" "$memtrack" -q --no-report -f -d 256 \
		--free-stacks -o "$work/t.mtk" -- "$@" >"$work/got" 2>"$work/err" </dev/null
	status=$?
	rm -f "$work"/t.mtk*
	# shellcheck disable=SC2046
	set -- $(sed -n 's/^samples \([0-9]*\) frames \([0-9]*\) same \([0-9]*\) lacking \([0-9]*\) different \([0-9]*\) missed \([0-9]*\)$/\1 \2 \3 \4 \5 \6/p' "$work/got")
	if [ "${1:-0}" = 0 ] && [ "${6:-0}" -gt 0 ]; then
		skip "$name" "no thread of it may be traced"
		return
	fi
	ok "$name: $1 samples, $2 frames, $3 stacks the same, $4 end for want of CFI, $5 different" \
		[ "$status,$5,$(($1 >= few * 9 / 10)),$(($3 + $4))" = "0,0,1,$1" ] ||
		{ sed 's/^/# /' "$work/got"; tail -n 5 "$work/err" | sed 's/^/# /'; }
	grep '^lacking' "$work/got" | sed 's/^/# /'
	sum_samples=$((sum_samples + $1)) sum_frames=$((sum_frames + $2))
	sum_same=$((sum_same + $3)) sum_lacking=$((sum_lacking + $4))
}

# spaced SHORT LONG: captures from sample to sample, in a run of either length.
spaced()
{
	[ -n "${MEMTRACK_LONG:-}" ] && echo "$2" || echo "$1"
}

many=1
[ -z "${MEMTRACK_LONG:-}" ] || many=10
python=/usr/bin/python3
[ -x $python ] || python=python3
compared python "$(spaced 60 15)" $python -c "import json, threading
text = json.dumps([{'a': i, 'b': [i] * 3} for i in range(300 * $many)])
threads = [threading.Thread(target=json.loads, args=(text,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
import decimal, email, http.client, xml.dom.minidom"
compared perl "$(spaced 200 100)" perl -e "my %h; \$h{\$_} = [\$_] for 1 .. 3000 * $many;"
compared sqlite3 "$(spaced 70 25)" sqlite3 :memory: "create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 1000 * $many)
insert into t select x, x * x from c; create index i on t(b); select a % 7, sum(b) from t group by 1;"
git init -q "$work/repository" 2>"$work/.git"
compared git "$(spaced 5 5)" git -C "$work/repository" -c user.name=t -c user.email=t@example.org \
	commit -q --allow-empty -m message
compared cc1 "$(spaced 300 50)" ${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -I"$top_srcdir" \
	-c "$top_srcdir/hook/$(spaced clock unwind_step).c" -o "$work/clock.o"
compared jq "$(spaced 40 15)" jq -n "[range(150 * $many) | {a: ., b: [.]}] | map(.a) | add"
{
	echo '<r>'
	for i in $(seq $((60 * many))); do
		echo "<e a='$i'><f>$i</f></e>"
	done
	echo '</r>'
} >"$work/d.xml"
compared xmllint "$(spaced 15 10)" xmllint --xpath 'count(//f)' "$work/d.xml"

[ "$(uname -m)" != x86_64 ] || compared "single steps" "$(spaced 500 20)" "$testbin/oracle/steps"

if [ -n "${MEMTRACK_LONG:-}" ]; then
	compared cc1plus 1000 ${MEMTRACK_CXX:-c++} -std=gnu++17 -O1 -c "$top_srcdir/tests/unwind/hard_cxx.cpp" \
		-o "$work/cxx.o"
	compared clang 20 clang -O1 -c "$top_srcdir/hook/clock.c" -I"$top_srcdir" -o "$work/clock.o"
	compared gdb 100 gdb -q -batch -ex 'info functions mem' "$memtrack"
	compared node 500 node -e 'const a = []; for (let i = 0; i < 9999; i++) a.push({x: i});
		console.log(JSON.stringify(a).length)'
	compared redis 4 redis-server --version
	compared C++ 50 "$testbin/unwind/hard_cxx"
	ok "all: $sum_samples samples, $sum_frames frames, $sum_same the same, $sum_lacking end for want of CFI" \
		[ "$sum_samples" -ge 10000 ]
fi
done_testing
