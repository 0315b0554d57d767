# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: runs a scenario of tests/target/scenarios under memtrack and compares the trace with what
# the program says it did.  A test sources this, then
#
#	each_variant NAME [OPTION...]
#
# runs `memtrack OPTION... scenarios NAME` as binary and text trace, without and with stacks, makes
# the assertions that hold for every scenario, and calls check() of the test.  There, $out is the
# program's stdout, $dump the whole trace as lines (tests/tools/trace_dump.c), $events its events
# between the marks, $format mtk or text, $depth 0 or 64, and $v names the variant.
. "${top_srcdir:-.}/tests/tap.sh"

scenarios=$testbin/target/scenarios
[ -x "$memtrack" ] || skip_all "memtrack is not built"

# Sizes of the marks around a scenario (tests/target/record.h).
mark_begin=48611
mark_end=48619

check() { :; }

each_variant()
{
	scenario=$1
	shift
	for format in mtk text; do
		for depth in 0 64; do
			v="$format, depth $depth"
			run_variant "$@"
			check
		done
	done
}

run_variant()
{
	out=$work/out dump=$work/dump events=$work/events
	rm -f "$work/trace"
	"$memtrack" --no-report --format "$format" -d "$depth" --free-stacks -o "$work/trace" "$@" \
		"$scenarios" "$scenario" >"$out" 2>"$work/err"
	is $? 0 "exits 0 ($v)"
	is "$(cat "$work/err")" "" "nothing on stderr ($v)"
	dump_trace
	between_marks
	events_agree
	stacks_agree
}

dump_trace()
{
	if [ "$format" = mtk ]; then
		"$testbin/tools/trace_dump" "$work/trace" >"$dump"
	else
		# The log has the symbols as they are.
		LC_ALL=C awk -f "$top_srcdir/tests/tools/text_dump.awk" "$work/trace" | c++filt >"$dump"
	fi
}

between_marks()
{
	awk -v from="$mark_begin" -v to="$mark_end" '
		$1 == "event" && $5 == to { exit }
		$1 == "event" && $7 == 0 && inside { print }
		$1 == "event" && $5 == from { inside = 1; skip = $6 }
		inside && $4 == "free" && $6 == skip { skip = "" }' "$dump" |
		awk -v from="$mark_begin" 'NR == 1 && $4 == "free" { next } { print }' >"$events"
}

# expected [TID] prints OP SIZE PTR of what the program did; traced prints the same of the trace,
# for the pointers that the program named (pthread_create and the like allocate too).
expected() { awk -v tid="${1:-}" '$1 == "did" && (tid == "" || $2 == tid) { print $3, $4, $5 }' "$out"; }

traced()
{
	awk -v tid="${1:-}" 'NR == FNR { if ($1 == "did") known[$5] = 1; next }
		(tid == "" || $3 == tid) && $6 in known && $4 != "EXIT" { print $4, $5, $6 }' "$out" "$events"
}

tids() { awk '$1 == "did" && !seen[$2]++ { print $2 }' "$out"; }

# Without the size of a free: the launcher's text log may know it.
sizeless() { sed -E 's/^(free|delete|delete\[\]) [0-9-]+ /\1 - /'; }

events_agree()
{
	agree_threads=0
	for agree_tid in $(tids); do
		expected "$agree_tid" >"$work/want"
		traced "$agree_tid" | sizeless >"$work/got"
		same_lines "$work/got" "$work/want" "events of thread $((agree_threads += 1)) ($v)"
	done
	ok "each address is allocated and freed by turns ($v)" alternate
}

# same_lines GOT WANT NAME
same_lines()
{
	if cmp -s "$1" "$2"; then
		ok "$3"
	else
		not_ok "$3" "$(diff -u "$2" "$1" | head -n 20)"
	fi
}

# In the order of the trace no address is allocated twice or freed without having been allocated.
alternate()
{
	awk 'NR == FNR { if ($1 == "did") known[$5] = 1; next }
		!($6 in known) || $4 == "EXIT" { next }
		$4 ~ /^(free|delete|delete\[\]|munmap)$/ {
			if (!live[$6]) { print "freed while free:", $0; bad = 1 }
			live[$6] = 0
			next
		}
		{
			if (live[$6]) { print "allocated while live:", $0; bad = 1 }
			live[$6] = 1
		}
		END { exit bad }' "$out" "$events"
}

# stack_of PTR: the functions of its (last) allocation.
stack_of()
{
	awk -v ptr="$1" '$6 == ptr && $4 !~ /^(free|delete|delete\[\]|munmap)$/ {
		line = $0 } END { print line }' "$events" | cut -d' ' -f8-
}

# A stack starts with the functions that the program names: "a;b;main" is a prefix.
stacks_agree()
{
	if [ "$depth" = 0 ]; then
		is "$(awk '{ print $8 }' "$events" | sort -u)" "-" "no frames without --stack-depth ($v)"
		return
	fi
	grep '^frames ' "$out" | while read -r _ ptr frames; do
		printf '%s\t%s\t%s\n' "$ptr" "$frames" "$(stack_of "$ptr")"
	done >"$work/stacks"
	while IFS='	' read -r ptr want got; do
		got=$(printf '%s' "$got" | sed 's/(anonymous namespace)::/ANON /g; s/([^;]*)//g; s/ANON /(anonymous namespace)::/g')
		want=$(printf '%s' "$want" | sed 's/(anonymous namespace)::/ANON /g; s/([^;]*)//g; s/ANON /(anonymous namespace)::/g')
		case "$got;" in
		"$want;"*) ok "stack of $ptr: $(printf '%.60s' "$want") ($v)" ;;
		*) [ "${stacks_wanted:-yes}" = no ] || not_ok "stack of $ptr ($v)" "got  $got
want $want" ;;
		esac
	done <"$work/stacks"
}

# say KEY: a value that the program printed.
say() { awk -v key="$1" '$1 == "say" && $2 == key { print $3 }' "$out"; }

# live_count: addresses the program named that are allocated at the end of the scenario.
live_count()
{
	awk 'NR == FNR { if ($1 == "did") known[$5] = 1; next }
		$6 in known && $4 != "EXIT" {
			live[$6] = $4 !~ /^(free|delete|delete\[\]|munmap)$/
		}
		END { n = 0; for (p in live) n += live[p]; print n }' "$out" "$events"
}

# count OP [SIZE]: events of that kind between the marks.
count() { awk -v op="$1" -v size="${2:-}" '$4 == op && (size == "" || $5 == size) { n++ } END { print n + 0 }' "$events"; }
