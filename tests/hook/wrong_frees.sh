# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: releases that do not fit are in the trace, with the stack of the call, however it ends.
. "${top_srcdir:-.}/tests/tap.sh"

dump=$testbin/tools/trace_dump
program=$testbin/hook/wrong_frees

found()
{
	awk -v kind="$1" '$1 == "event" && $4 == kind && $5 == "free"' "$work/dump"
}

traced()
{
	name=$1
	shift
	"$program" "$name" >"$work/native.out" 2>"$work/native.err"
	native=$?
	rm -f "$work/t.mtk"
	"$memtrack" -q -o "$work/t.mtk" "$@" -- "$program" "$name" >"$work/out" 2>"$work/err"
	is $? $native "$name $*: the exit status is the program's ($native)"
	is "$(cat "$work/out")" "$(cat "$work/native.out")" "$name $*: its output too"
	"$dump" "$work/t.mtk" | sed 's/ size [0-9]*//' >"$work/dump"
}

traced mismatch
is "$(found mismatched | wc -l)" "$(sed -n 's/expect mismatched //p' "$work/out")" "each mismatch is found"
for name in array_with_free malloc_with_delete scalar_with_array_delete new_with_realloc; do
	is "$(found mismatched | grep -c "$name()")" 3 "$name: with its stack"
done
is "$(found double | wc -l)$(found wild | wc -l)" 00 "and nothing else"

traced clean
is "$(grep -cE ' (mismatched|double|wild) free ' "$work/dump")" 0 "what is right is not found fault with"

traced double
is "$(found double | wc -l)" 1 "a double free is found before it ends the program"
like "$(found double)" 'free_twice\(\);main' "with its stack"
address=$(found double | awk '{ print $7 }')
is "$(awk -v p="$address" '$7 == p || $6 == p { n += ($4 == "malloc") }  END { print n }' "$work/dump")" 1 \
	"the block it is about was allocated once"

for name in wild odd; do
	traced $name
	is "$(found wild | wc -l)" 1 "$name: a free of no block is found"
	like "$(found wild)" 'free_inside\(.*\);main' "$name: with its stack"
done

# A program with operators of its own inside, and a plugin that has those of libstdc++.
"$testbin/hook/operators" "$testbin/hook/plugin.so" >"$work/native.out" 2>&1
native=$?
"$memtrack" -q -o "$work/o.mtk" -- "$testbin/hook/operators" "$testbin/hook/plugin.so" >"$work/out" 2>"$work/err"
is "$?$(cat "$work/out")" "$native$(cat "$work/native.out")" "operators linked in: behaves as untraced"
is "$("$dump" "$work/o.mtk" | grep -c ' mismatched free ')" 0 "operators linked in: not taken for another family"

for format in mtk text; do
	"$memtrack" -q --format $format -o "$work/r.$format" -- "$testbin/hook/replaced" >"$work/out" 2>"$work/err"
	unlike "$("$memview" --report "$work/r.$format")" '^Findings' "$format: an operator replaced is no mismatch"
done
like "$("$memview" --report "$work/o.mtk")" 'leaked +0 blocks' "the runtime's pool inside a program is no leak"

traced mismatch --no-findings
is "$(grep -cE ' (mismatched|double|wild) free ' "$work/dump")" 0 "--no-findings looks for none"

traced mismatch --sample 1G
is "$(found mismatched | wc -l)" 12 "blocks that are not sampled are watched too"

done_testing
