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
