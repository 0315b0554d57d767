#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the config file changes keys, colours and the mouse; what is wrong in it is named.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

sh "$make_log" demo 50 >"$view_log"
folder=$work/.config/memview
mkdir -p "$folder"

# with LINE...: memview with these lines.
with()
{
	printf '%s\n' "$@" >"$folder/config"
	view_start 120 30 "$view_log"
	shows '106 shown' "$1: it shows the trace"
}

with '# nothing but remarks' '' '   # and blanks'
is "$(view_state mouse)" 1 "the mouse is on by itself"
press q
ends 0 "it ends"
is "$(cat "$work/stderr")" "" "and has nothing to say"

with 'key filter = y F5 Ctrl-t'
press f
press y
shows 'Filter: Leaks' "a new key does it, the old one nothing"
press C-t
shows 'Filter: Active' "control keys can be used"
type_text "$(printf '\033[15~')"
shows 'Filter: Freed' "and function keys"
shows 'y filter' "the key line has the new key"
press '?'
shows '^ *y F5 Ctrl-t +show all, leaks' "so has the help"
press q q
ends 0 "it ends"

with 'key down = Space' 'key up = k' 'key page-down = j'
press j
hides '^\[L\] 0x1000 ' "a key goes from one action to another"
press g Space
shows 'Pointer : 0x100000$' "Space can be one"
press Down
press Space
shows 'Pointer : 0x2000000$' "what has lost its keys has none"
press q
ends 0 "it ends"

with 'key = = f' 'key search==' 'key help = #' 'key help = Hash'
press '='
shows 'Search:' "= is a key like others"
press C-g
hides 'Search:' "it is given up"
press '#'
shows 'memview: keys' "so is #"
press x q
ends 0 "it ends"
is "$(grep -c . "$work/stderr")" 1 "one line was wrong"
like "$(cat "$work/stderr")" '^.*/memview/config:1: ' "the first"

with 'color leak = 33 on 17 bold underline' 'COLOR old = 1' 'colour alert = bright-red on default' 'color title = default'
like "$(styles_of '^.L]')" 'bold underline front 33 back 17' "a style has its colours"
unlike "$(styles_of '^.L]')" 'front 196' "and no others"
unlike "$(styles_of '^St')" '^ ~0-.*front' "default takes a colour away"
press q
ends 0 "it ends"
like "$(cat "$work/stderr")" '/config:2: "COLOR" is not key, color or mouse' "words are written small"

view_env=TERM=xterm
with 'color leak = 200' 'color rule = bright-red'
like "$(styles_of '^.L]')" 'front 1$' "colours that the terminal has not change nothing"
press q
view_env=TERM=vt100
with 'color leak = red on blue underline'
unlike "$(styles_of '^.L]')" 'front|back|underline' "without colours styles are as they were"
press q
view_env=NO_COLOR=1
with 'color leak = red on blue'
unlike "$(styles_of '^.L]')" 'front|back' "NO_COLOR wins"
press q
view_env=

with 'mouse = off'
is "$(view_state mouse)" 0 "mouse = off"
press X
shows 'mouse on' "X still turns it on"
press q
ends 0 "it ends"

# All that can be wrong with a line.
printf '%s\n' 'key' 'key filter' 'key filter y' 'key nosuch = y' 'key filter = NoKey' 'key filter = a b c d' \
	'key quit =' 'key down = q Esc' 'color leak' 'color nosuch = red' 'color leak = nosuch' 'color leak = red on' \
	'color leak = red blue' 'color leak = 256' 'color leak = -1' 'mouse' 'mouse = maybe' 'what = this' \
	"key filter = Ctrl-z" "$(printf 'key \033[31m = \303')" >"$folder/config"
lines=$(wc -l <"$folder/config")
view_start 120 30 "$view_log"
shows "config:1: want: key ACTION = KEY\\.\\.\\. \\(and $((lines - 1)) more\\)" "the first of many is on the screen"
press j
shows 'q quit' "until a key is pressed"
press f
shows 'Filter: Leaks' "what was wrong changed nothing"
press q
ends 0 "it ends"
i=0
while [ $((i += 1)) -le "$lines" ]; do
	like "$(cat "$work/stderr")" "/memview/config:$i: [^ ]" "line $i: $(sed -n "${i}p" "$folder/config" | tr -cd ' -~')"
done
is "$(LC_ALL=C tr -d '\012\040-\176' <"$work/stderr" | wc -c)" 0 "names are made harmless"
for i in 1 2 3; do cat "$folder/config"; done >"$work/more"
cp "$work/more" "$folder/config"
view_start 120 30 "$view_log"
shows '106 shown' "sixty wrong lines"
press q
ends 0 "it ends"
is "$(wc -l <"$work/stderr") $(tail -n 1 "$work/stderr")" "21 and 40 more" "twenty are named"

# What is no such file.
rm "$folder/config"
mkdir "$folder/config"
view_start 120 30 "$view_log"
shows 'no file: left out' "a folder in its place"
press q
ends 0 "is left out"
rmdir "$folder/config"
mkfifo "$folder/config"
view_start 120 30 "$view_log"
shows 'no file: left out' "a FIFO in its place is not waited for"
press q
rm "$folder/config"
head -c 70000 /dev/zero | tr '\0' '#' >"$folder/config"
view_start 120 30 "$view_log"
shows 'more than 64 KiB: left out' "one that is too large"
press q
head -c 60000 /dev/urandom >"$folder/config"
view_start 120 30 "$view_log"
shows '106 shown' "noise does no harm"
press q Escape
ends 0 "it ends"
rm "$folder/config"
mkdir -p "$work/home/.config/memview"
echo 'mouse = off' >"$work/home/.config/memview/config"
view_env="-u XDG_CONFIG_HOME HOME=$work/home"
view_start 120 30 "$view_log"
shows '106 shown' "without XDG_CONFIG_HOME"
is "$(view_state mouse)" 0 "~/.config is looked at"
press q
view_env="XDG_CONFIG_HOME=relative HOME=$work/home"
view_start 120 30 "$view_log"
shows '106 shown' "one that is no whole path"
is "$(view_state mouse)" 0 "counts as none"
press q
ends 0 "it ends"
done_testing
