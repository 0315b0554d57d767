# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: real programs, sampled: totals exactly those of a counter in the same run, and estimates
# as near to them as they say.
. "${top_srcdir:-.}/tests/real/real.sh"
options='--no-report --sample 16K'

# LABEL COUNT BYTES of the newest counters of each thread.
counted()
{
	"$testbin/tools/trace_dump" "$work/traces/t.mtk" | awk '
		$1 == "counters" { cell = $2 " " $3 " " $4; count[cell] = $5; bytes[cell] = $6 }
		END {
			for (cell in count) {
				split(cell, word, " ")
				label = word[2] == "realloc-free" ? "free" : word[2]
				n[label] += count[cell]
				b[label] += bytes[cell]
			}
			for (label in n)
				if (label ~ /^(malloc|calloc|realloc|free|strdup|memalign|posix_memalign)$/)
					print label, n[label], b[label]
		}' | sort
}

# field NAME: value and upper end of the blocks' "NAME" bytes, of the JSON report.
field()
{
	"$memview" --report --json "$work/traces/t.mtk" |
		sed -n "s/.*\"blocks\":{\"$1\":{\"count\":{[^}]*},\"bytes\":{\"value\":\\([0-9]*\\),\"low\":[0-9]*,\"high\":\\([0-9]*\\)}.*/\\1 \\2/p"
}

exactly()
{
	"$memview" --report --json "$work/traces/t.mtk" |
		sed -n 's/.*"allocated exactly":{"count":[0-9]*,"bytes":\([0-9]*\)}.*/\1/p'
}

sampled()
{
	name=$1
	shift
	run_plain "$@"
	run_traced "$@"
	same_runs "$name"
	pid=$("$testbin/tools/trace_dump" --facts "$work/traces/t.mtk" | awk '$1 == "fact" && $2 == "pid" { print $3; exit }')
	"$testbin/tools/counter_print" "$work/counts/c.$pid" |
		grep -E '^(malloc|calloc|realloc|free|strdup|memalign|posix_memalign) ' | sort >"$work/want"
	counted >"$work/got"
	is "$(cat "$work/got")" "$(cat "$work/want")" "$name: calls and bytes of each function are exact"
	# Five standard deviations: a margin is two.
	wrong=$(echo "$(field allocated) $(exactly)" | awk '{
		off = $1 > $3 ? $1 - $3 : $3 - $1
		if (NF != 3 || off > 2.5 * ($2 - $1) || $2 <= $1) print }')
	is "$wrong" "" "$name: the estimate is as near as it says"
}

if command -v sqlite3 >/dev/null; then
	sampled sqlite3 sqlite3 :memory: 'create table t(a,b);
		with recursive c(x) as (select 1 union all select x+1 from c where x<20000)
		insert into t select x, hex(randomblob(4)) is null from c; select count(*), sum(a) from t order by b;'
else
	skip sqlite3 "sqlite3 is not installed"
fi
if command -v perl >/dev/null; then
	sampled perl perl -e 'my %h; $h{$_ % 977} .= "x" x ($_ % 50) for 1..60000; print length(join "", values %h), "\n"'
else
	skip perl "perl is not installed"
fi
if [ -x /usr/bin/python3 ]; then
	sampled python3 /usr/bin/python3 -S -c 'import json
print(len(json.dumps([{"a": i, "b": "x" * (i % 700)} for i in range(20000)])))'
else
	skip python3 "python3 is not installed"
fi
done_testing
