#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: every key of memview's table does what it says.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"
view_start 160 40 "$view_log"

# The demo: 106 allocations; 50 leaks of 512 B by worker-1, one of 4 KiB by demo.
shows '✕ DONE .*demo\.log .*106 allocs .*106 shown' "the header tells state, file and counts"
shows 'Filter: All .*Thread: all .*Sort: Time ▲ .*Leaks: 51 \(29\.0 KiB\)' "and filter, thread, sort, leaks"
shows '^ [▁▂]+.*█.*ms  max' "and the timeline"
shows '^St\. +Pointer +Op +Time +Size +Thread' "the list has its columns"
shows '\[L\] 0x1000 +malloc +0\.100ms +4\.0 KiB demo' "a record has its fields"
shows '^worker-1 +101 +25\.0 KiB +0 B +25\.0 KiB +50 \(25\.0 KiB\)' "the thread pane has its fields"
shows 'Op +: malloc' "the detail pane is about the first record"
shows 'Total +: 4\.0 KiB \(thread\)' "its thread's total comes by itself"
shows 'NOT FREED' "which was not freed"
shows 'load_config' "and has its stack"

press j
shows 'Pointer : 0x100000$' "j moves down"
press Down
shows 'Pointer : 0x2000000$' "Down moves down"
shows '── Free ─' "the free is shown"
shows 'parse_line' "with the stack of the allocation"
shows 'free_line' "and that of the free"
press k Up
shows 'Pointer : 0x1000$' "k and Up move up"
press G
shows '\[F\] 0x[0-9a-f]+ +new\[\] +47\.' "G goes to the end"
press g
shows '^\[L\] 0x1000 ' "g goes to the start"
press NPage
hides '^\[L\] 0x1000 ' "PgDn moves by a page"
press PPage
shows '^\[L\] 0x1000 ' "PgUp moves back"
press C-f
hides '^\[L\] 0x1000 ' "Ctrl-f moves by a page"
press C-b
shows '^\[L\] 0x1000 ' "Ctrl-b moves back"
press End
hides '^\[L\] 0x1000 ' "End goes to the end"
press Home
shows '^\[L\] 0x1000 ' "Home goes to the start"

press f
shows 'Filter: Leaks' "f shows leaks"
shows '51 shown' "51 of them"
press f
shows 'Filter: Active' "f again active ones"
shows ' 0 shown' "none in a finished log"
press j k G g Enter
shows 'no allocations pass' "moving in an empty list is harmless"
press f
shows 'Filter: Freed' "f again freed ones"
shows '55 shown' "55 of them"
press f
shows '106 shown' "and all again"

press a
shows 'Minimum lifetime' "a asks for an age"
type_text 0.02
press Enter
shows 'Age≥0\.02s' "the header shows it"
hides ' 106 shown' "and fewer are shown"
press a
shows 'lifetime .*0\.02 \(Enter keeps, type to replace\)' "a shows the old age"
press Enter
shows 'Age≥0\.02s' "Enter keeps it"
press a 0.003 Enter
shows 'Age≥0\.003s' "typing replaces it"
press a 0 Enter
shows ' 106 shown' "0 switches it off"
hides 'Age≥' "and the mark goes"
press a
type_text soon
press Enter
shows 'not a number of seconds' "nonsense is refused"

press /
type_text CACHE_put
press Enter
shows ' 50 shown' "/ finds a frame in any case"
press /
type_text worker-2
press Enter
shows ' 50 shown' "and a thread"
press / C-u
type_text realloc
press Enter
shows ' 5 shown' "and an operation"
press / C-u
type_text 0x1000
press Enter
hides ' (106|5) shown' "and a pointer"
press / C-u
type_text 'cache_put (demo'
press Enter
shows ' 50 shown' "and a frame as it is shown"
press / C-u Enter
shows ' 106 shown' "empty clears"
press R
shows 'there is no range' "R has nothing to clear"
press / zzz Enter
hides ' 106 shown' "another search"
press / C-u Enter
shows ' 106 shown' "is cleared by Ctrl-u too"

press g j m
shows '▶ DELTA since 0\.800ms' "m starts a delta"
shows ' 104 shown' "strictly after"
press m
hides 'DELTA' "m again ends it"

press g j M
shows 'marker M1 at 0\.800ms' "M drops a marker"
press G M
shows 'marker M2' "and the next"
shows '[▁▂]1[▁▂].*█2' "they are on the timeline"
press g D
shows 'marker M1 deleted' "D deletes the nearest"
press g M M M M M M M M
press M
shows 'all nine markers' "a tenth is refused"
press g j j '['
shows '│ \[ 0\.' "[ starts a range"
press j j j ']'
shows '▶◀ RANGE' "] ends it"
hides ' 106 shown' "only the range is shown"
press R
hides 'RANGE' "R clears it"
shows ' 106 shown' "all are shown again"

press g j '\'
shows ' 4 groups' "\\ groups by call stack"
shows '×50 +25\.0 KiB' "a group has count and total"
shows '▲ +×50 .*cache_put.*worker-1' "one that never fell is marked"
shows 'Sort: Total ▼' "sorted by total"
shows '(Freed [0-9]+ times at|Never freed)' "where its blocks were freed comes by itself"
press s
shows 'Sort: Count ▼' "s sorts groups by count"
press s
shows 'Sort: Rate ▼' "then by rate"
press s
shows 'Sort: Total ▼' "then by total"
press f
shows ' 2 groups' "only groups that leak"
press g
shows 'Shown   : 50 \(25\.0 KiB\)' "the detail is about the group"
shows 'never fell' "and says that it grows"
press Enter
shows ' 51 shown' "Enter goes to the records"
shows 'Pointer : 0x100000$' "to the example of the group"
press j Enter
shows ' 2 groups' "Enter on a record goes to its group"
shows 'Shown   : 50 ' "which is selected"
press '\' f f f
shows ' 106 shown' "\\ leaves group mode"

press t
shows 'Thread: [a-z]+' "t filters by a thread"
hides 'Thread: all' "one of them"
press t t t
shows 'Thread: all' "and comes back to all"
press T
hides 'Thread: all' "T goes backwards"
press t
shows 'Thread: all' "and t forwards again"

press s
shows 'Sort: Size ▼' "s sorts by size"
shows '^\[L\] 0x1000 +malloc' "the largest first"
press s
shows 'Sort: Thread ▲' "then by thread"
press S
shows 'Sort: Thread ▼' "S turns it round"
press 1
shows 'Sort: Time ▲' "1 sorts by time"
press 2
shows 'Sort: Size ▼' "2 by size"
press 3
shows 'Sort: Thread ▲' "3 by thread"
press 1 Tab Tab
shows 'Sort: Allocated' "in the thread pane it is the threads' order"
press s s s s
shows 'Sort: Name' "s cycles its columns"
press h h
shows 'Sort: Time' "h goes back to the list"
press Right Left l BTab
shows 'Sort: Time' "arrows and l move the focus too"

press H
shows '<=1 KiB +73 ' "H shows the sizes"
press f
shows '<=1 KiB +50 ' "of what is shown"
press f f f
press j
shows 'H shows the list again' "moving in it says why nothing moves"
press H
shows '^St\.' "and the list again"
for key in m M '[' s S 1 Enter; do
	press g H
	shows '<=1 KiB ' "H, then $key"
	press "$key"
	hides '<=1 KiB ' "goes back to the list"
done
press '\' m R 1 g Tab Tab H s
shows '<=1 KiB ' "sorting threads leaves the histogram"
press h h H D
shows '106 shown' "all is as it was"

press W
shows 'Write the visible rows' "W asks for a file"
type_text "$work/rows.txt"
press Enter
shows '106 records written' "and writes it"
ok "the file has the rows" grep -q 0x1000 "$work/rows.txt"
press '\'
press / load_config Enter
shows ' 1 group$' "one group"
press W
type_text "$work/one.txt"
press Enter
shows '1 call site written' "one is one"
press '\' W
type_text "$work/two.txt"
press Enter
shows '1 record written' "of either kind"
press / BSpace Enter
shows ' 106 shown' "all again"
press W
type_text "$work/rows.txt"
press Enter
shows 'Overwrite' "it asks before it overwrites"
press n
shows 'nothing was written' "no means no"
press W
type_text "$work/rows.txt"
press Enter
shows 'Overwrite' "asked again"
press y
shows '106 records written' "yes overwrites, without Enter"
press W
type_text /nonexistent/rows
press Enter
shows 'cannot write /nonexistent/rows' "errors are told"

press Z
hides '  max ' "Z hides the timeline"
press Z
shows '  max ' "and shows it"
press L
shows 'source lines off' "L switches source lines off"
press L
shows 'source lines on' "and on"
press F
shows 'nothing to follow' "F needs a live trace"
press v
shows ' 4 groups' "v goes to the call sites"
press V
shows ' 106 shown' "and back to the records"
press '?'
shows 'memview: keys' "? shows the help"
press x
hides 'memview: keys' "any key leaves it"
press C-l
shows ' 106 shown' "Ctrl-l draws again"
press q
ends 0 "q quits"
view_start 80 24 "$view_log"
shows DONE "it starts again"
press Escape
ends 0 "Esc quits"
done_testing
