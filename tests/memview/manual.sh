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
done_testing
