# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: recordings that leave allocations out: what they hold, and that their counts are exact.
. "${top_srcdir:-.}/tests/tap.sh"

dump=$testbin/tools/trace_dump
program=$testbin/hook/selective

# traced OPTION...
traced()
{
	rm -f "$work/t.mtk"
	"$memtrack" -q -o "$work/t.mtk" "$@" -- "$program" >"$work/out" 2>"$work/err"
	is "$?$(cat "$work/err")" 0 "$*: runs"
	"$dump" "$work/t.mtk" >"$work/dump"
}

# Releases of blocks that the trace does not have.
strays()
{
	awk '$1 == "event" && $5 == "-" { if (!($6 in live)) n++; delete live[$6]; next }
	     $1 == "event" && $4 != "EXIT" && $4 !~ /m.*map/ { live[$6] = 1 } END { print n + 0 }' "$work/dump"
}

# OP BUCKET COUNT BYTES of the newest counters of each thread; what libc does by itself left out.
counted()
{
	awk '$1 == "counters" { count[$2 " " $3 " " $4] = $5; bytes[$2 " " $3 " " $4] = $6 }
	     END { for (k in count) { split(k, w, " "); c[w[2] " " w[3]] += count[k]; b[w[2] " " w[3]] += bytes[k] }
	     for (k in c) print k, c[k], b[k] }' "$work/dump" | sort
}

traced --sample 4K
sed -n 's/^expect //p' "$work/out" | grep -v '^calloc' | sort >"$work/want"
counted | grep -v '^calloc' >"$work/got"
is "$(cat "$work/got")" "$(cat "$work/want")" "sampled: calls and bytes of each function and size are exact"
is "$(strays)" 0 "sampled: no release of a block that is left out"

# The number recorded is a sum of independent trials: six standard deviations around its mean.
wrong=$(awk -v rate=4096 '$1 == "expect" && $2 != "free" && $2 != "realloc-free" {
		p = 1 - exp(-($5 / $4) / rate); mean += $4 * p; var += $4 * p * (1 - p) }
	$1 == "event" && $5 != "-" && $4 ~ /^(malloc|calloc|realloc)$/ { n++ }
	END { d = n - mean; if (d < 0) d = -d; if (d > 6 * sqrt(var) + 40) print n, "recorded, about", mean, "expected" }' \
	"$work/out" "$work/dump")
is "$wrong" "" "sampled: about as many as chance says"

traced --sample 1
is "$(awk '$1 == "event" && $4 == "malloc" && $5 > 16' "$work/dump" | wc -l)" \
	"$(awk '$1 == "expect" && $2 == "malloc" && $3 > 0 { n += $4 } END { print n }' "$work/out")" \
	"one sample a byte: every block of 17 bytes and more is there"

traced --min-size 1000
is "$(awk '$1 == "event" && $4 ~ /^(malloc|calloc|realloc)$/ && $5 < 1000' "$work/dump" | wc -l)" 0 \
	"--min-size: nothing smaller"
is "$(strays)" 0 "--min-size: no release of a block that is left out"

traced --track-threads worker-1
tid=$(awk '$1 == "thread" && $4 == "worker-1" { print $3; exit }' "$work/dump")
is "$(awk -v tid="$tid" '$1 == "event" && $4 ~ /^(malloc|calloc|realloc)$/ && $3 != tid' "$work/dump" | wc -l)" 0 \
	"--track-threads: no allocation of another thread"
is "$(awk -v tid="$tid" '$1 == "event" && $4 == "malloc" && $3 == tid' "$work/dump" | wc -l)" 2666 \
	"--track-threads: every one of that thread"
is "$(awk -v tid="$tid" '$1 == "event" && $4 == "free" && $3 != tid' "$work/dump" | wc -l)" 1000 \
	"--track-threads: and the releases of its blocks by another thread, no more"
is "$(strays)" 0 "--track-threads: no release of a block that is left out"

done_testing
