#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the mouse scrolls, selects, sorts and enters, and can be left to the terminal.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"

# at REGEX: the row (from 0) of the first line that matches; column_of TEXT ROW: where it begins.
at() { screen | grep -En -e "$1" | head -n 1 | sed 's/:.*//' | awk '{ print $1 - 1 }'; }
column_of() { screen | sed -n "$(($2 + 1))p" | sed "s/$1.*//" | tr -d '\n' | wc -m; }

for type in xterm-256color screen tmux; do
	infocmp "$type" >/dev/null 2>&1 || { skip "TERM=$type" "there is no such terminfo entry"; continue; }
	view_env="TERM=$type"
	view_start 160 40 "$view_log"
	shows '106 shown' "$type: it runs"
	is "$(view_state mouse)" 1 "$type: the mouse is listened to"
	mouse click 10 7
	shows 'Pointer : 0x2000000$' "$type: a click selects a row"
	press q
	ends 0 "$type: it ends"
	is "$(view_state mouse)" 0 "$type: and gives the mouse back"
done
view_env=
view_start 160 40 "$view_log"
shows '106 shown' "a fresh one"

# The wheel: the pane under the pointer, whichever has the focus.
mouse down 10 10
shows '^\[L\] 0x100400 ' "the wheel scrolls the list"
hides '^\[L\] 0x1000 ' "by three lines"
shows 'Pointer : 0x10080$' "the cursor stays in sight"
mouse up 10 10
shows '^\[L\] 0x1000 ' "and back"
shows 'Pointer : 0x10080$' "the cursor stays where it was"
mouse up 10 10
shows '^\[L\] 0x1000 ' "not beyond the start"
resize 160 15
shows 'Detail  1-[0-9]+ of [0-9]+' "the detail pane has more than fits"
mouse down 130 7
shows 'Detail  4-' "the wheel scrolls it"
shows '^\[L\] 0x1000 ' "and not the list"
mouse up 130 7
shows 'Detail  1-' "and back"
hides '^demo ' "two of three threads are seen"
mouse down 3 12
shows '^demo ' "the wheel scrolls the threads"
mouse up 3 12
shows '^worker-2 ' "and back"
resize 160 40
shows '^demo ' "larger again"

# Clicks.
row=$(at '^demo ')
mouse click 5 "$row"
shows 'Sort: Allocated' "a click in the thread pane focuses it"
mouse double 5 "$row"
shows 'Thread: demo' "a double click on a thread shows it only"
mouse double 5 "$row"
shows 'Thread: all' "and again all"
head=$(at '^Thread ')
for word in TID Freed Net Leaks Allocated; do
	mouse click "$(column_of "$word" "$head")" "$head"
	shows "Sort: $word" "a click on $word sorts threads"
done
mouse click 1 "$head"
shows 'Sort: Name ▲' "on the first column by name"
mouse click 1 "$head"
shows 'Sort: Name ▼' "again the other way round"
mouse click 120 10
shows 'Sort: Time' "a click in the detail pane leaves the threads"
press Tab
shows 'Sort: Name' "it had the focus"
head=$(at '^St\.')
mouse click "$(column_of Size "$head")" "$head"
shows 'Sort: Size ▼' "a click on Size sorts the list"
shows '^\[L\] 0x1000 +malloc' "the largest first"
mouse click "$(column_of Size "$head")" "$head"
shows 'Sort: Size ▲' "and the smallest"
mouse click "$(column_of Pointer "$head")" "$head"
shows 'Sort: Size ▲' "nothing is sorted by Pointer"
mouse click "$(column_of Time "$head")" "$head"
shows 'Sort: Time ▲' "back to time"
press g
mouse double 10 6
shows '[0-9]+ groups' "a double click is Enter"
shows 'Shown   : 50 ' "on the group of that record"
head=$(at 'Count +Total')
mouse click "$(column_of Count "$head")" "$head"
shows 'Sort: Count ▼' "groups are sorted, too"
mouse right 10 8
mouse click 40 3
mouse click 40 0
press '\'
shows ' 106 shown' "other buttons and places do nothing"

# The key line.
row=$(at 'q quit')
mouse click "$(column_of 'filter' "$row")" "$row"
shows 'Filter: Leaks' "a click on the key line is the key"
mouse click "$(column_of 'f filter' "$row")" "$row"
shows 'Filter: Active' "on its letter, too"
press f f
mouse click "$(column_of '[?] help' "$row")" "$row"
shows 'memview: keys' "? too"
resize 80 15
mouse down 5 5
hides 'To find a leak' "the wheel scrolls the help"
press x
resize 160 40
shows '106 shown' "all is as it was"
press H
shows '<=1 KiB ' "with the histogram"
mouse click 10 8
mouse double 10 9
shows '<=1 KiB ' "clicks leave it alone"
press H /
mouse click 10 9
shows 'Search:' "an open question is not disturbed"
press Escape
hides 'Search:' "and Esc gives it up"

# Trees.
press v v
shows 'view: call tree' "the call tree"
row=$(at '▸ handle_request')
mouse click "$(column_of '▸' "$row")" "$row"
shows '▾ handle_request' "a click on the mark unfolds"
mouse click "$(column_of '▾' "$row")" "$row"
shows '▸ handle_request' "and folds"
mouse click "$(column_of 'handle' "$row")" "$row"
shows '│  handle_request' "one on the name selects"
shows '▸ handle_request' "and folds nothing"
mouse click 50 $((row - 1))
mouse double "$(column_of 'handle' "$row")" "$row"
hides '▸ main' "a double one zooms in"
press u u u
shows '▸ main' "(and out)"
head=$(at 'Allocated +Share')
mouse click "$(column_of Leaked "$head")" "$head"
shows 'Cost: leaked ▼' "a head with a cost chooses it"
mouse click "$(column_of Leaked "$head")" "$head"
shows 'Cost: leaked ▲' "or turns the order round"
press S '\'
shows 'Sort: Count' "call sites have an order of their own"
head=$(at 'Count +Leaked')
mouse click "$(column_of Leaked "$head")" "$head"
shows 'Cost: leaked' "or that of the cost"
press c c '\' v v v v
shows 'view: flame graph' "the flame graph"
row=$(at '│worker_loop')
mouse click 5 "$row"
shows '▶worker_loop' "a click selects a box"
mouse up 5 "$row"
shows '▶start_thread' "the wheel goes up"
mouse down 5 "$row"
shows '▶worker_loop' "and down"
mouse double 5 "$row"
shows 'zoomed to 90\.3 %' "a double click zooms in"
mouse click 150 12
press u
shows '▶' "a click beside all boxes does nothing"

# The timeline.
mouse click 1 2
shows 'Pointer : 0x1000$' "a click on the timeline goes to the first record of that time"
shows '106 shown' "in the list of records"
mouse click 100 2
hides 'Pointer : 0x1000$' "a later one to a later one"
press 2
shows 'Sort: Size' "sorted otherwise"
mouse click 1 2
shows 'not in the order of time' "it cannot"
press 1 g

# Off, by key.
press X
shows 'mouse off' "X leaves the mouse to the terminal"
is "$(view_state mouse)" 0 "it is told so"
press X
shows 'mouse on' "X again takes it"
is "$(view_state mouse)" 1 "and asks for it"

# What a broken terminal may send.
type_text "$(printf '\033[<0;99999;99999M\033[<0;0;0M\033[<;M\033[<1234567890123;1;1M\033[M\033[<0;5;5')"
press j f
shows '(Filter: Leaks|Pointer : )' "broken events are survived"
faultless "all it sent was understood"
press q
ends 0 "q quits"

view_env="TERM=vt100"
view_start 80 24 "$view_log"
shows '106 shown' "a terminal without a mouse"
is "$(view_state mouse)" 0 "is not asked for one"
press X
shows 'tells nothing of a mouse' "nor by X"
press q
ends 0 "and works"
done_testing
