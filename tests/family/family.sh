# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: for tests of processes and their children; to be sourced behind tests/tap.sh.

dump=$testbin/tools/trace_dump
family=$testbin/family/family
cd "$work" || exit 1

# run ARG...: traced into t.mtk (and t.mtk.PID), the output in out, the status in $status.
run()
{
	rm -f t.mtk*
	"$memtrack" -q --no-report -o t.mtk "$@" >out 2>err
	status=$?
}

# traces: how many there are.
traces() { ls t.mtk* | wc -l | tr -d ' '; }

# count FILE SIZE: blocks of that size (labels: malloc only)
count() { "$dump" "$1" | awk -v size="$2" '$1 == "event" && $4 == "malloc" && $5 == size' | wc -l | tr -d ' '; }

# counts SIZE FILE...: the same of several, each number once with how often it came.
counts()
{
	size=$1
	shift
	for f; do count "$f" "$size"; done | sort -n | uniq -c | awk '{ print $1 "x" $2 }' | paste -sd " " -
}

# live FILE SIZE: blocks of that size that were not freed
live()
{
	"$dump" "$1" | awk -v size="$2" '
		$1 != "event" || $4 == "EXIT" { next }
		$5 == "-" { delete live[$6]; next }
		$5 == size && $4 == "malloc" { live[$6] = 1 }
		END { n = 0; for (p in live) n++; print n }'
}

# broken: traces without an END record, damaged ones, and lost events.
broken()
{
	for f in t.mtk*; do
		"$dump" --facts "$f" >facts
		grep -q '^end ' facts || echo "$f has no end"
		[ "$(tail -n 1 facts)" = "file 1 0 0" ] || echo "$f: $(tail -n 1 facts)"
		grep '^lost' facts | sed "s/^/$f: /"
	done
}

# facts FILE KIND: the lines of a kind
facts() { "$dump" --facts "$1" | grep "^$2"; }
