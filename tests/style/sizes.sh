# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: no file over 600 lines, no function over 80, no rooms without a name.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 1

sources=$(find . \( -name build -o -name '_build' -o -name '.git' \) -prune -o \
	\( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print | sort)
ok "there are sources" [ -n "$sources" ]

is "$(for f in $sources; do
	awk -v f="$f" 'END { if (NR > 600) print f ": " NR " lines" }' "$f"
done)" "" "files have 600 lines at most"

# A function's body stands between { and } in the first column.
is "$(for f in $sources; do
	awk -v f="$f" '/^{/ { start = NR } /^}/ && start { if (NR - start - 1 > 80)
		print f ":" start ": " NR - start - 1 " lines"; start = 0 }' "$f"
done)" "" "functions have 80 lines at most"

is "$(for f in $sources; do
	case "$(head -n 1 "$f")" in
	'/* SPDX-License-Identifier: LGPL-2.1-or-later */') ;;
	'// SPDX-License-Identifier: LGPL-2.1-or-later') ;;
	*) echo "$f" ;;
	esac
done)" "" "the first line is the licence"

is "$(for f in $sources; do
	sed -n 2p "$f" | grep -qE '^(/\*|//) .' || echo "$f"
done)" "" "the second line says what the file is for"

is "$(printf '%s\n' "$sources" | grep -E '/(util|utils|misc|common|helper|helpers)\.[ch]')" "" \
	"no util, misc, common or helper files"
is "$(printf '%s\n' "$sources" | xargs grep -nE '[ 	]+$' | head)" "" "no blanks at line ends"
is "$(printf '%s\n' "$sources" | xargs grep -niE 'keep (this )?in sync' | head)" "" \
	"nothing has to be kept in sync by hand"
is "$(printf '%s\n' "$sources" | grep -v '^\./tests/' | xargs awk 'FNR > 2 && /^#[ 	]*(if|ifdef|elif)/ && depth { print FILENAME ":" FNR }
	/^{/ { depth = 1 } /^}/ { depth = 0 }' | head)" "" "no #if inside functions"
done_testing
