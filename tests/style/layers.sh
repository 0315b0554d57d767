# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: who may include whom, as the table of the folders in doc/INTERNALS.md says.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 1

# allowed FOLDER OTHER...: the quoted includes of FOLDER name only itself and OTHERs, from the root.
allowed()
{
	folder=$1
	shift
	if ! [ -d "$folder" ]; then
		skip "$folder/" "there is no such folder"
		return
	fi
	pattern=$(printf '%s\n' "$folder" "$@" | sed 's#$#/#' | paste -sd'|' -)
	found=$(grep -nE '^[ 	]*#[ 	]*include[ 	]+"' "$folder"/*.[ch] |
		grep -vE "\"($pattern)[a-z0-9_]+\\.h\"|\"config\\.h\"")
	is "$found" "" "$folder/ includes $* and itself only"
}

allowed trace
allowed base
allowed hook trace
allowed symbols base
allowed inject base symbols
allowed store trace base
allowed wire trace base
allowed launcher base trace symbols store wire inject model
allowed model trace base symbols store
allowed memview model base wire

# What is linked into the target stands on the compiler alone.
is "$(grep -hE '^#[ 	]*include[ 	]+<' trace/*.[ch] | sort -u |
	grep -vE '<(stdint|stddef|stdbool|string|stdatomic|errno|limits)\.h>')" "" \
	"trace/ is freestanding"
is "$(grep -lE '#[ 	]*include[ 	]+<(stdio|stdlib|malloc|pthread|wchar|locale)\.h>' hook/*.[ch])" "" \
	"hook/ includes no stdio, stdlib, malloc or pthread"
is "$(grep -lE '#[ 	]*include[ 	]+<(sys/ptrace|curses|ncurses[^>]*)' model/*.[ch] base/*.[ch] 2>/dev/null)" "" \
	"model/ and base/ know neither ptrace nor curses"
ok "<curses.h> in three files at most" \
	[ "$(grep -lE '#[ 	]*include[ 	]+<(curses|ncurses)' memview/*.[ch] 2>/dev/null | wc -l)" -le 3 ]
is "$(grep -nE '#[ 	]*include[ 	]+"config\.h"' -- */*.h 2>/dev/null)" "" "no header includes config.h"
done_testing
