#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: wrong frees in the viewer: the header counts them, v shows them, a record tells of its own.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" wrong >"$work/bad.log"
view_start 130 40 "$work/bad.log"
shows '2 allocs .*2 findings' "the header counts them"
shows 'mismatch' "the selected record has its finding in the detail"
press V V
shows 'mismatch +1 new\[\] / free +free_it' "a mismatch is a row, with the place of the free"
shows 'double free +1 malloc / free +again' "and so is a double free"
shows 'Op +: free' "the detail tells how it was freed"
shows 'make_it' "and where it was made"
press j
shows 'Freed again' "the double free is told"
shows 'Freed before' "and the one before it"
press Enter
shows '0x2000 +malloc' "Enter goes to the block"
press V v
shows 'view: records' "v goes on to the records"

# They pass the filters as allocations do.
view_start 130 40 "$work/bad.log"
shows '2 findings' "findings again"
press V V
shows ' 2 groups' "all of them"
press / make_it Enter
shows ' 1 group ' "the search is in the stack of the allocation"
shows 'mismatch ' "of the one"
press / C-u again Enter
shows 'double free ' "and in that of the free of the other"
hides '^mismatch ' "which is not that"
press / C-u 0x2000 Enter
shows '^double free ' "it finds pointers"
press W
type_text "$work/found"
press Enter
shows '1 .*written' "W writes what is shown"
is "$(grep -c 'again (prog)' "$work/found") $(grep -c free_it "$work/found")" "1 0" "no more than that"
press / C-u nothing Enter
shows 'no findings pass the filters' "an empty list says why"
press v V
shows 'view: findings' "and stays a view"
press / C-u Enter
shows ' 2 groups' "all again"
press f
shows 'no findings pass' "the blocks were not leaked"
press f f
shows ' 2 groups' "they were freed"
press f g m
shows '▶ DELTA since 2\.000ms' "delta"
shows ' 1 group ' "is by the time of the wrong free"
hides '^mismatch ' "only later ones"
press m q
ends 0 "it ends"

# A pointer that nothing returned, in a real program.
printf '%s\n' '#include <stdlib.h>' 'static char room[64];' '__attribute__((noinline)) static void astray(char *p)' \
	'{' '	free(p);' '	room[0] = 1;' '}' 'int main(void)' '{' '	char *kept = malloc(10);' '	astray(room + 16);' \
	'	return !kept;' '}' >"$work/wild.c"
if [ -f "$hook" ] && ${MEMTRACK_CC:-cc} -g -O0 -w -o "$work/wild" "$work/wild.c" 2>/dev/null &&
	{ "$memtrack" -q --no-report -o "$work/wild.mtk" "$work/wild" >"$work/out" 2>&1; [ -s "$work/wild.mtk" ]; }; then
	view_start 130 40 "$work/wild.mtk"
	shows '1 finding ' "a wild free"
	press V V
	shows '^unknown pointer +1 .* astray' "is a row, with the place of the free"
	shows 'No traced call returned this pointer' "and is explained"
	shows 'The program was aborted right there' "with its end"
	shows '#[0-9]+ +astray \(wild\.c:5\)' "and its stack"
	press Enter
	shows 'its block is not in the trace' "it has no block to go to"
	press t
	shows ' 1 group ' "its thread's filter lets it through"
	press q
	ends 0 "it ends"
else
	skip "a wild free" "memtrack does not run here"
fi

sh "$make_log" demo 50 >"$view_log"
view_start 130 40 "$view_log"
shows '106 allocs' "another trace"
press V V
shows 'view: modules' "without findings there is no view of them"
press p
shows 'of one process only' "and p says that there is one process"

is "$("$memview" --report "$work/bad.log" | sed -n '/^Findings/p')" "Findings (1 mismatch, 1 double free)" \
	"the report begins with them"
"$memview" --report --json "$work/bad.log" >"$work/json"
like "$(cat "$work/json")" '"findings":\{"total":2,"mismatch":1,"double free":1,"unknown pointer":0,"inferred":2,' \
	"so does its JSON"
like "$(cat "$work/json")" '"allocated":\{"op":"new\[\]","thread":"main","tid":7,"ns":100000,"stack":\["make_it' \
	"with both places"
if command -v python3 >/dev/null; then
	is "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(len(d["processes"]),
d["processes"][0]["findings"]["groups"][1]["wrong"]["op"])' "$work/json" 2>&1)" "1 free" "which is JSON"
fi
"$memview" --json "$work/bad.log" 2>"$work/err"
is "$?" 2 "--json without --report is an error"
done_testing
