# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: runs a program that says what its trace must hold, untraced and traced, as binary and text,
# without stacks and with, and compares.  A test sources this, then
#
#	behaves NAME PROGRAM [ARG...]
#
# The program prints, among whatever else, on lines of their own
#	expect OP SIZE COUNT		so many events; SIZE - has no size, * is any
#	live SIZE COUNT			so many blocks of that size are live at the end
#	frames OP SIZE REGEX		each such event has a stack, F0;F1;..., that matches
# Its output, status and messages must not depend on being traced.
. "${top_srcdir:-.}/tests/tap.sh"
[ -x "$memtrack" ] || skip_all "memtrack is not built"

dump_trace()
{
	if [ "$1" = mtk ]; then
		"$testbin/tools/trace_dump" "$work/trace" >"$work/dump"
	else
		# The log has the symbols as they are.
		LC_ALL=C awk -f "$top_srcdir/tests/tools/text_dump.awk" "$work/trace" | c++filt >"$work/dump"
	fi
}

# What the dump lacks of what the program's output promises.
missing()
{
	grep -E '^(expect|live|frames) ' "$work/out" | LC_ALL=C awk -v depth="$1" '
		NR == FNR { want[NR] = $0; wanted = NR; next }
		$1 != "event" { next }
		{
			count[$4 " " $5]++
			count[$4 " *"]++
			stack = $0
			for (i = 0; i < 7; i++)
				sub(/^[^ ]+ /, "", stack)
			if ($5 == "-") {
				delete size[$6]
			} else if ($4 !~ /^(mmap|munmap|mremap|brk|sbrk|EXIT|name)$/) {
				size[$6] = $5
			}
			for (i = 1; depth > 0 && i <= wanted; i++) {
				split(want[i], w, " ")
				if (w[1] == "frames" && w[2] == $4 && (w[3] == "*" || w[3] == $5) &&
				    stack !~ w[4] && !told[i]++)
					print "frames", w[2], w[3], "are", stack
			}
		}
		END {
			for (p in size)
				live[size[p]]++
			for (i = 1; i <= wanted; i++) {
				split(want[i], w, " ")
				if (w[1] == "expect" && count[w[2] " " w[3]] + 0 != w[4])
					print want[i] ", got", count[w[2] " " w[3]] + 0
				if (w[1] == "live" && live[w[2]] + 0 != w[3])
					print want[i] ", got", live[w[2]] + 0
				if (w[1] == "frames" && !count[w[2] " " w[3]])
					print want[i] ": no such event"
			}
		}' - "$work/dump"
}

behaves()
{
	name=$1
	shift
	timeout 120 "$@" >"$work/native.out" 2>"$work/native.err"
	native=$?
	for format in mtk text; do
		for depth in 0 64; do
			v="$name ($format, depth $depth)"
			rm -f "$work/trace"
			timeout 120 "$memtrack" --no-report --format "$format" -d "$depth" -o "$work/trace" \
				-- "$@" >"$work/out" 2>"$work/err"
			is $? "$native" "$v: status as untraced"
			is "$(cat "$work/out")" "$(cat "$work/native.out")" "$v: prints what it prints untraced"
			is "$(cat "$work/err")" "$(cat "$work/native.err")" "$v: the same messages"
			dump_trace "$format"
			is "$(missing "$depth")" "" "$v: the trace holds what it did"
		done
	done
}
