#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: names in a trace cannot reach the terminal as control codes, and columns stay in line.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" hostile >"$view_log"
view_start 150 40 "$view_log"
shows '4 allocs' "the log opens"
shows 'a\\x1b\[2J' "an escape sequence is shown as text"
shows 'x\) malloc \(y' "a name with brackets is one name"
shows '漢字漢字' "wide characters are shown"
shows '\\xc2\\x9b\[31m' "C1 controls are shown as text"
press g
shows 'evil\\x1b\]0;owned\\x07' "a function's name too"
shows '\\xff\\xfebroken\\xc0\\x80' "broken UTF-8 is shown byte by byte"
shows 'bidi\\xe2\\x80\\xae' "so are marks that turn the line round"
is "$(view_state title)" "" "the title was not changed"
# Each line between list and detail has its bar in the same column.
bars=$(screen | sed -n '5,20p' | sed 's/漢字漢字/12345678/; s/│.*//; s/…/./g' | awk '{ print length }' | sort -u | wc -l)
is "$bars" 1 "columns stay in line"
press f '\' '?' x '\' H H t t t t t
press '/'
type_text "$(printf 'x\302\233y')"
press Enter
shows ' 0 (shown|groups)' "a search for control codes finds nothing"
press q
ends 0 "it ends"

view_env="LC_ALL=C"
view_start 150 40 "$view_log"
shows '\?\?\?\?' "C locale: wide characters have stand-ins"
is "$(screen | LC_ALL=C tr -d '\000-\177' | wc -c)" 0 "and nothing else is sent"
press q
"$memview" --report "$view_log" >"$work/report" 2>&1
is "$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$work/report" | wc -c)" 0 "nor by --report"
done_testing
