#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the OPTIONS section of memtrack(1) is what the settings table makes.
. "${top_srcdir:-.}/tests/tap.sh"

"$memtrack" --help=man >"$work/table"
sed -n '/^\.SH OPTIONS/,/^\.SH OUTPUT/p' "$top_srcdir/doc/memtrack.1" | sed '$d' >"$work/page"
ok "OPTIONS is up to date (else paste in memtrack --help=man)" diff "$work/table" "$work/page"
"$memtrack" --help=bash >"$work/completion"
ok "the completion script is one" bash -n "$work/completion"
done_testing
