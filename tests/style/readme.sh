# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the README's commands work: its "$" lines are run in order, and every option and file that
# it names exists.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
[ -x "$memview" ] || skip_all "memview is not built"
readme=$(cd "$top_srcdir" && pwd)/README.md

is "$(sed -n '3,4s/ *#.*//p' "$readme" | sed 's/^ *//' | paste -sd, -)" "./bootstrap demo,./bootstrap check" \
	"the two commands come first"

mkdir "$work/bin" "$work/here"
for program in "$memtrack" "$memview" "$top_builddir/examples/leaky"; do
	ln -s "$(cd "$(dirname "$program")" && pwd)/$(basename "$program")" "$work/bin/"
done
PATH=$work/bin:$PATH
cd "$work/here" || exit 1
sed -n 's/^    \$ //p' "$readme" >"$work/commands"
ok "there are commands" [ "$(wc -l <"$work/commands")" -ge 4 ]
while read -r command; do
	ok "$command" sh -c "$command" </dev/null
done <"$work/commands"

like "$(memview --report leaky.mtk)" 'leaky\.c:[0-9]+' "the report names a file and line"
like "$(memview --report leaky.mtk)" 'page_render' "the report names the leaking function"

# Options in the text must be ones of memtrack, memview, or configure.
{ memtrack --help; memview --help; sh "$top_srcdir/configure" --help 2>/dev/null; } |
	sed 's/--\[no-\]\([a-z-]*\)/--\1 --no-\1/g' | grep -oE -e '--[a-z][a-z-]*' | sort -u >"$work/known"
for option in $(grep -oE -e '--[a-z][a-z-]+' "$readme" | sort -u); do
	ok "$option exists" grep -qx -e "$option" "$work/known"
done
for file in $(grep -oE '\]\([^)]*\)' "$readme" | sed 's/](//; s/)//'); do
	ok "$file is there" [ -e "$(dirname "$readme")/$file" ]
done
done_testing
