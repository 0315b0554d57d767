#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: files that are no trace, or a damaged one: one clear line and exit status 2, or 1 and a report that
# says what is missing; never a crash, a long wait or much memory.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memview" ] || skip_all "memview is not built"
need timeout mkfifo
cd "$work" || exit 1

# A whole trace, of the corpus; its first three bytes are the fuzz target's.
tail -c +4 "$top_srcdir/tests/fuzz/corpus/container/file" >good
bytes=$(wc -c <good)

# patch FILE OFFSET BYTES: good with some bytes replaced (printf's escapes).
patch()
{
	cp good "$1"
	# shellcheck disable=SC2059
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

view() { timeout 60 "$memview" --report "$1" >out 2>err; }

# refuses FILE PATTERN NAME
refuses()
{
	view "$1" </dev/null
	is $? 2 "$3: exit status 2"
	like "$(cat err)" "^memview: $2" "$3: says so"
	is "$(wc -l <err) $(wc -c <out)" "1 0" "$3: in one line"
}

# opens FILE PATTERN NAME: the report is there, and says PATTERN.
opens()
{
	view "$1" </dev/null
	is $? 0 "$3: a report"
	like "$(cat out)" "$2" "$3: which says so"
	is "$(cat err)" "" "$3: and nothing else"
}

# part FILE PATTERN NAME: the report of what is left, which says PATTERN; one line and status 1 tell scripts.
part()
{
	view "$1" </dev/null
	is $? 1 "$3: exit status 1"
	like "$(cat out)" "$2" "$3: a report, which says so"
	like "$(cat err)" "^memview: $1 (is damaged|has no end)" "$3: and why"
	is "$(wc -l <err)" 1 "$3: in one line"
}

opens good 'exited with status 0' "a whole trace"
unlike "$(cat out)" 'damaged' "a whole trace is not damaged"
view good </dev/null
whole=$(cat out)

refuses . '.*is a directory' "a directory"
refuses /dev/null '.*is empty' "nothing"
refuses /dev/zero '/dev/zero is neither' "zeros without end"
truncate -s 3G sparse && refuses sparse 'sparse is neither' "three gigabytes of zeros"
ln -s loop loop && refuses loop 'cannot open loop' "a link to itself"
refuses "$work/none" "cannot open .*none: No such" "no file"
head -c 5 good >signature && refuses signature 'signature is neither' "half a signature"
patch newer 8 '\143' && refuses newer 'newer was written by another version of memtrack' "a later format"
patch older 8 '\001' && refuses older 'older was written by another version of memtrack' "an earlier format"

for size in 16 17 79 80 300 $((bytes - 1)); do
	head -c "$size" good >cut && part cut 'no recorded end|no end|cut off|damaged' "the first $size bytes"
done
patch length 32 '\377\377\377\177' && part length 'damaged' "a chunk of two gigabytes"
patch raw 28 '\377\377\377\377\377\377\377\377' && part raw 'damaged' "a chunk of four gigabytes"
patch payload 100 '\377\377\377\377' && part payload 'checksum' "a wrong payload"
{ cat good && head -c 5000000 /dev/zero; } >padded && part padded 'exited with status 0' "zeros behind the end"
{ cat good && cat good; } >twice && opens twice 'exited with status 0' "two traces in one file"
head -c 3000000 /dev/urandom >noise && cat good >>noise && refuses noise 'noise is neither' "a trace behind noise"

mkfifo pipe && { cat good >pipe & } && view pipe
is $? 0 "a named pipe"
is "$(cat out)" "$whole" "gives the same report as the file"
wait
done_testing
