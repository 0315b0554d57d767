#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: several processes in one stream: the report has a table and each of them, the viewer goes
# from one to the other.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"
memtrack=$top_builddir/memtrack

"$memtrack" -f --no-report -q -o - sh -c '/bin/true 1; /bin/true 2; exit 3' >"$work/family.mtk" 2>"$work/err"
is "$?" 3 "a family is traced"
"$memview" --report "$work/family.mtk" >"$work/report"
like "$(cat "$work/report")" 'Processes \(3\)' "the report has a table of three processes"
is "$(grep -c '^== process [012]: pid [0-9]* =' "$work/report")" 3 "and one part for each"
pid=$(sed -n 's/^== process 2: pid \([0-9]*\).*/\1/p' "$work/report")
like "$(sed -n "/^ *2 *$pid /p" "$work/report")" "true 2.*exit 0" "a row has number, pid, command and end"
"$memview" --report --session "$pid" "$work/family.mtk" >"$work/one"
like "$(cat "$work/one")" "process $pid on .* exited with status 0" "--session takes a pid"
is "$(grep -c '^memtrack: ' "$work/one")" 1 "and shows that process alone"
"$memview" --report --session 0 "$work/family.mtk" >"$work/one"
like "$(cat "$work/one")" "exited with status 3" "or a number"
"$memview" --report --session 77777777 "$work/family.mtk" >"$work/one" 2>"$work/err"
is "$?" 2 "one that is not there is an error"
like "$(cat "$work/err")" "^memview: --session 77777777: there is no such process" "which is said"
"$memview" --report --session x "$work/family.mtk" 2>"$work/err"
is "$?" 2 "a word is none either"

view_start 120 30 "$work/family.mtk"
shows 'process 1/3' "the viewer says which process it shows"
press p p
shows "process 3/3 \[p\] $pid" "p goes to the next"
press p
shows 'process 1/3' "and round"
press P
shows 'process 3/3' "P goes back"
view_start 120 30 --session "$pid" "$work/family.mtk"
shows 'process 3/3' "--session begins with one"
done_testing
