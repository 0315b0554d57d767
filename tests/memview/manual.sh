#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memview(1) has every row of the action table, word for word.
. "${top_srcdir:-.}/tests/tap.sh"

page=$top_srcdir/doc/memview.1
table=$top_srcdir/memview/actions.h

# The rows as entries of a man page.
awk '/^\tX\(/ {
	split($0, part, "\"")
	keys = part[2]; help = part[6]
	gsub(/\\\\/, "\\e", keys); gsub(/\\\\/, "\\e", help); gsub(/-/, "\\-", keys)
	print ".TP"; print ".B " keys
	print toupper(substr(help, 1, 1)) substr(help, 2) "."
}' "$table" >"$work/want"
sed -n '/^\.SH KEYS/,/^\.SH MARKS/p' "$page" | sed '1d;$d' >"$work/got"
ok "the table has rows" [ "$(wc -l <"$work/want")" -gt 60 ]
is "$(diff "$work/want" "$work/got")" "" "the KEYS section is the action table"

# names HEADER: the ids of an X-macro's rows, as the config file has them.
names() { sed -n 's/^\tX(\([A-Z0-9_]*\),.*/\1/p' "$1" | tr 'A-Z_' 'a-z-'; }

# listed N: the words of the Nth list that this test is said to check.
listed()
{
	awk -v n="$1" '/^\.\\" Checked by/ { here = ++seen == n; next } here && /^\.B / { print; next } { here = 0 }' \
		"$page" | sed 's/^\.B //; s/\\-/-/g' | tr ' ' '\n'
}

is "$(listed 1)" "$(names "$table")" "CONFIGURATION has all actions"
is "$(listed 2)" "$(names "$top_srcdir/memview/term.h")" "and all styles"
if [ -x "$memview" ]; then
	"$memview" --help >"$work/help"
	is "$(sed -n '/^Keys, by/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/help")" "$(names "$table")" "so has --help"
	is "$(sed -n 's/^Styles: //p' "$work/help" | tr ' ' '\n')" "$(names "$top_srcdir/memview/term.h")" "both"
else
	skip "--help" "memview is not built"
fi
done_testing
