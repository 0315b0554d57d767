#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: names in a trace cannot reach the terminal as control codes, and columns stay in line.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" hostile >"$view_log"
cp "$view_log" "$work/wide.log"
view_start 150 40 "$view_log"
shows '4 allocs' "the log opens"
shows 'a\\x1b\[2J' "K101 an escape sequence is shown as text"
shows 'x\) malloc \(y' "a name with brackets is one name"
shows '漢字漢字' "K106 wide characters are shown"
shows '\\xc2\\x9b\[31m' "K101 C1 controls are shown as text"
press g
shows 'evil\\x1b\]0;owned\\x07' "K101 a function's name too"
shows '\\xff\\xfebroken\\xc0\\x80' "K106 broken UTF-8 is shown byte by byte"
shows 'bidi\\xe2\\x80\\xae' "K101 so are marks that turn the line round"
is "$(view_state title)" "" "K101 the title was not changed"
# Each line between list and detail has its bar in the same column.
bars=$(screen | sed -n '5,20p' | sed 's/漢字漢字/12345678/; s/│.*//; s/…/./g' | awk '{ print length }' | sort -u | wc -l)
is "$bars" 1 "K106 columns stay in line"
press f '\' '?' x '\' H H t t t t t
press '/'
type_text "$(printf 'x\302\233y')"
press Enter
shows ' 0 (shown|groups)' "a search for control codes finds nothing"
press / BSpace Enter
shows '4 (shown|groups)' "all again"
press W
type_text "$work/rows"
press Enter
shows ' written' "rows are exported"
is "$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$work/rows" | wc -c)" 0 "K101 without control codes"
ok "but with their names" grep -q 'x) malloc (y' "$work/rows"
faultless "all it sent was understood"
press q
ends 0 "it ends"

# No half of a wide character at any edge: text over it is a fault of the terminal in memory.
view_start 60 24 "$work/wide.log"
shows '4 allocs' "wide names"
press Tab
width=60 edges=0
while [ $((width += 1)) -le 100 ]; do
	resize $width 24
	press C-l
	view_sees shows "^[─┬]{$width}\$" || break
	edges=$((edges + $(view_state edges)))
done
is "$width $edges" "101 0" "K106 wide characters stay inside of any width"
faultless "all it sent was understood"
press q
ends 0 "it ends"

view_env="LC_ALL=C"
view_start 150 40 "$view_log"
shows '\?\?\?\?' "K106 C locale: wide characters have stand-ins"
is "$(screen | LC_ALL=C tr -d '\000-\177' | wc -c)" 0 "K106 and nothing else is sent"
press q
"$memview" --report "$view_log" >"$work/report" 2>&1
is "$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$work/report" | wc -c)" 0 "K101 nor by --report"
evil=$(printf '\033]0;owned\007\302\233')
for words in "" --report --json --report\ --json; do
	# shellcheck disable=SC2086
	"$memview" $words "$work/no$evil" >"$work/out" 2>&1
	is "$(LC_ALL=C tr -d '\012\040-\176' <"$work/out" | wc -c)" 0 "K101 nor in what is said of a name on the command line $words"
done
"$memview" --report --json "$view_log" >"$work/json" 2>&1
is "$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$work/json" | wc -c)" 0 "K101 nor in JSON"
done_testing
