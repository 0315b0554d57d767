#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the command line of memview: what is wrong is said in one line, exit status 2.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memview" ] || skip_all "memview is not built"
sh "$top_srcdir/tests/memview/make_log.sh" demo 50 >"$work/demo.log"

# refuses NAME PATTERN ARG...
refuses()
{
	name=$1 pattern=$2
	shift 2
	"$memview" "$@" >"$work/out" 2>"$work/err" </dev/null
	is $? 2 "$name: exit status 2"
	like "$(cat "$work/err")" "^memview: $pattern" "$name: says so"
	is "$(wc -l <"$work/err")" 1 "$name: in one line"
	is "$(wc -c <"$work/out")" 0 "$name: and nothing else"
}

refuses "no operand" 'which trace'
refuses "two operands" 'one trace at a time: b' a b
refuses "unknown option" '.*--bogus' --bogus a
refuses "missing argument" '.*(save|-o)' a -o
refuses "missing file" 'cannot open /nonexistent' --report /nonexistent
refuses "a directory" '.*is a directory' --report "$work"
refuses "no port" '.*70000' --report :70000
refuses "follow and report" '.*--follow' -f --report "$work/demo.log"
: >"$work/empty"
refuses "an empty file" '.*empty' --report "$work/empty"
printf 'hello\nworld\n' >"$work/text"
refuses "a text file" '.*neither' --report "$work/text"
head -c 100000 /dev/urandom >"$work/noise"
refuses "noise" '.*neither' --report "$work/noise"
refuses "saving onto itself" '.*itself' --report "$work/demo.log" -o "$work/demo.log"
refuses "saving nowhere" 'cannot write /nonexistent' --report "$work/demo.log" -o /nonexistent/x
ok "the log is still there" [ -s "$work/demo.log" ]

"$memview" --report "$work/demo.log" >"$work/report" 2>"$work/err"
is $? 0 "--report exits 0"
like "$(cat "$work/report")" 'cache_put' "it names the leaking function"
is "$(cat "$work/err")" "" "and says nothing else"
"$memview" --report - <"$work/demo.log" >"$work/report2" 2>&1
is $? 0 "--report - reads standard input"
is "$(cmp "$work/report" "$work/report2" 2>&1)" "" "with the same result"
"$memview" "$work/demo.log" --report --top 1 -o "$work/copy" >"$work/out" 2>&1
is $? 0 "options may follow the operand"
is "$(cmp "$work/demo.log" "$work/copy" 2>&1)" "" "-o copies"
"$memview" --report "$work/demo.log" >/dev/full 2>"$work/err"
is $? 2 "a report that cannot be written is an error"
like "$("$memview" --help)" '\[HOST\]:PORT' "--help"
like "$("$memview" --version)" '^memview [0-9]' "--version"
done_testing
