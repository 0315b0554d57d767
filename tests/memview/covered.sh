#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: each key of the action table is pressed in some test of memview.
. "${top_srcdir:-.}/tests/tap.sh"

# The keys of the table, as tests name them.
sed -n 's/^\tX([A-Z_]*, *"\([^"]*\)".*/\1/p' "$top_srcdir/memview/actions.h" | tr ' ' '\n' | grep . |
	sed 's/^\\\\$/\\/; s/^PgUp$/PPage/; s/^PgDn$/NPage/; s/^Ctrl-/C-/; s/^Esc$/Escape/; s/^Backspace$/BSpace/' |
	sort -u >"$work/keys"
ok "the table has keys" [ "$(wc -l <"$work/keys")" -gt 40 ]
# Sizes and random keys look for crashes only.
cat "$top_srcdir"/tests/memview/*.sh | grep -v 'NPage PPage Home' |
	sed -n "s/^[[:blank:]]*press //p" | tr ' ' '\n' | tr -d "'" | sort -u >"$work/pressed"
is "$(comm -23 "$work/keys" "$work/pressed" | paste -sd' ' -)" "" "each is pressed in a test"
done_testing
