# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the libraries link together in any combination; liblauncher and libmemview, each of one
# program, never meet.
. "${top_srcdir:-.}/tests/tap.sh"

cd "$top_builddir" || exit 1
[ -f libbase.a ] || skip_all "nothing is built"
for library in lib*.a; do
	"${MEMTRACK_NM:-nm}" --defined-only -g "$library" 2>/dev/null | awk -v l="$library" 'NF == 3 { print $3, l }'
done | sort -u | grep -v '^__\|^_Z' >"$work/symbols"
ok "they define something" [ "$(wc -l <"$work/symbols")" -gt 100 ]
for apart in libmemview liblauncher; do
	is "$(grep -v " $apart\.a" "$work/symbols" |
		awk '{ if ($1 == last) print $1, $2, place; last = $1; place = $2 }')" "" \
		"no two libraries but $apart define the same name"
done
done_testing
