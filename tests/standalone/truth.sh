# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: real programs under the hook alone: they do what they do untraced, and the log has exactly the
# events and bytes that an independent counter saw in the same run; memview reports the same numbers.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"
counter=$(cd "$testbin/tools" && pwd)/counter.so
[ -f "$counter" ] || skip_all "counter.so is not built"

# OP COUNT BYTES of the log, as tests/tools/counter_print says it; pages apart, since the log leaves out
# those that the allocator takes.
log_counts()
{
	awk '$3 !~ /^(mmap|munmap|mremap|brk|sbrk|EXIT)$/ { n[$3]++; if ($4 != "-") b[$3] += $4 }
		END { for (op in n) print op, n[op], b[op] + 0 }' "$work/events" | sort
}

# A free of the log that belongs to a realloc is no call of free.
true_counts()
{
	"$testbin/tools/counter_print" "$work/counts.$process" | awk '$1 !~ /^(mmap|munmap|mremap|brk|sbrk|EXIT|name)$/' | sort
}

# memview counts the same blocks.
reported()
{
	"$memview" --report "$log" >"$work/report" 2>"$work/report.err"
	is "$? $(cat "$work/report.err")" "0 " "$v: memview reads it"
	is "$(awk '$1 == "allocated" { gsub(/,/, ""); print $2; exit }' "$work/report") $(awk '$1 == "freed" { gsub(/,/, ""); print $2; exit }' "$work/report")" \
		"$(awk '$3 ~ /^(mmap|munmap|mremap|brk|sbrk|EXIT)$/ { next } $5 != "-" { n++; live[$6] = 1; next }
			live[$6] { live[$6] = 0; f++ } END { print n, f }' "$work/events")" "$v: and counts the same blocks"
}

real()
{
	name=$1
	shift
	command -v "$1" >/dev/null || {
		skip "$name" "$1 is not installed"
		return
	}
	timeout 100 "$@" >"$work/plain.out" 2>"$work/plain.err" </dev/null
	plain=$?
	for depth in 0 32; do
		v="$name, depth $depth"
		rm -f "$log" "$work"/counts*
		timeout 100 env MEMTRACK_OUTPUT="$log" MEMTRACK_STACK_DEPTH=$depth MEMTRACK_TEST_COUNTER="$work/counts" \
			LD_PRELOAD="$hook:$counter" "$@" >"$work/out" 2>"$work/err" </dev/null
		is $? $plain "$v: the same exit status"
		ok "$v: the same stdout" cmp "$work/plain.out" "$work/out"
		ok "$v: the same stderr" cmp "$work/plain.err" "$work/err"
		well_formed "$v" causal
		# The process of the log; its children have files of their own.
		process=$(awk 'NR == 1 { print $1 }' "$work/events")
		true_counts >"$work/want"
		log_counts >"$work/got"
		if cmp -s "$work/want" "$work/got"; then
			ok "$v: all events and bytes: $(awk '{ n += $2; b += $3 } END { print n, "and", b }' "$work/got")"
		else
			not_ok "$v: all events and bytes" "$(diff "$work/want" "$work/got")"
		fi
		reported
	done
}

real python python3 -c 'import json; print(sum(len(json.dumps({"a": i})) for i in range(3000)))'
real perl perl -e 'my %h; $h{$_} = "x" x ($_ % 500) for 1 .. 5000; print scalar(keys %h), "\n"'
real sqlite sqlite3 :memory: 'create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t;'
real gcc gcc -x c -fsyntax-only "$top_srcdir/trace/text_write.c" -I"$top_srcdir"
if command -v git >/dev/null && git -C "$top_srcdir" rev-parse 2>/dev/null; then
	real git git -C "$top_srcdir" log --oneline -20
else
	skip git "the sources are no repository"
fi
done_testing
