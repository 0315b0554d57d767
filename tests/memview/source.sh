#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the detail pane shows the source around the allocation, where there is a file.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

[ -f "$hook" ] || skip_all "memtrack.so is not built"
mkdir "$work/src"
source=$work/src/grab.c
printf '%s\n' '#include <stdlib.h>' 'void *kept;' '/* evil \033]0;owned\007 漢字 */' 'int main(void)' '{' \
	'	if (!kept)' '		kept = malloc(4321);	/* here */' '	return !kept;' '}' >"$source"
printf '%b' "$(cat "$source")" >"$source.new" && mv "$source.new" "$source"
touch -d '2001-01-01' "$source"
${MEMTRACK_CC:-cc} -g -O0 -o "$work/grab" "$source" || skip_all "no compiler"
"$memtrack" -q -o "$work/grab.mtk" "$work/grab" >"$work/out" 2>&1 || skip_all "memtrack does not run here"

start() { view_start 150 40 "$work/grab.mtk"; shows '1 allocs?|[0-9]+ allocs' "$1: it opens"; }

start "source"
shows '│─* ?─* grab\.c ─' "the source has a title"
shows '>    7          kept = malloc\(4321\); /\* here \*/$' "the line is marked"
shows '│     5  \{' "with two lines before"
shows '│     9  \}' "and two behind"
unlike "$(screen)" 'newer than' "it is older than the program"
like "$(styles_of '>    7 ')" 'bold' "the line stands out"
press L
shows 'source lines off' "L takes the source away"
hides '>    7 ' "all of it"
hides 'grab\.c' "and the lines of the frames"
press L
shows '>    7 ' "L brings it back"
press '\'
shows '1 group' "a group"
shows '>    7 ' "has it, too"
press v
shows 'view: call tree' "a tree"
press G
shows '>    7 ' "has that of its functions"
press L
hides '>    7 ' "unless L takes it away"
press q
ends 0 "it ends"
faultless "all it sent was understood"

touch "$source"
start "newer"
shows 'grab\.c: newer than the program' "a source that was changed is told"
press q

# Nothing but regular files, however the trace names them.
for kind in gone fifo folder short long huge binary; do
	rm -rf "$source"
	case $kind in
	fifo) mkfifo "$source" ;;
	folder) mkdir "$source" ;;
	short) printf 'one\ntwo\n' >"$source" ;;
	long) { printf 'a\nb\nc\nd\ne\nf\n'; head -c 100000 /dev/zero | tr '\0' x; } >"$source" ;;
	huge) { head -c 5000000 /dev/zero; printf '\n\n\n\n\n\n\n\n\n'; } >"$source" ;;
	binary) head -c 100000 /dev/urandom >"$source" ;;
	esac
	start "$kind"
	case $kind in
	long) shows '>    7  xxxxxxxxxxxxxxx' "long: it is cut" ;;
	binary) press L L ;;
	*) hides '>    7 ' "$kind: nothing is shown" ;;
	esac
	shows '#0 +main' "$kind: the stack is"
	press q
	ends 0 "$kind: it ends"
	is "$(view_state faults)" 0 "$kind: nothing strange was sent"
done
rm -rf "$source"
printf 'a\nb\nc\nd\n\033]0;owned\007\033[2J\302\233\n\tif\n\t\tx\t\n漢字 \377\376\n' >"$source"
start "hostile"
shows '\\x1b\]0;owned\\x07\\x1b\[2J' "escape sequences in a source are shown as text"
shows '漢字 \\xff\\xfe' "wide and broken characters, too"
is "$(view_state title)" "" "the title was not changed"
press q
ends 0 "it ends"
view_env="LC_ALL=C"
start "C locale"
shows '\?\?' "without UTF-8"
is "$(screen | LC_ALL=C tr -d '\000-\177' | wc -c)" 0 "nothing but ASCII is sent"
press q
ends 0 "it ends"
done_testing
