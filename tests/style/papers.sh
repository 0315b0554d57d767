# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: NEWS, --version, --help and the man pages say the same.
. "${top_srcdir:-.}/tests/tap.sh"
version=$(sed -n 's/^AC_INIT(\[memtrack\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
is "$(head -n 1 "$top_srcdir/NEWS")" "memtrack $version" "the head of NEWS is the version"

# Long options, as a program's --help and its man page name them.
options_of_help() { "$1" --help | sed 's/--\[no-\]/--/g' | grep -oE -e '--[a-z][a-z0-9-]*' | sort -u; }
options_of_page() { sed 's/\\-/-/g; s/\\f[BIRP]//g; s/\[no-\]//g' "$1" | grep -oE -e '--[a-z][a-z0-9-]*' | sort -u; }

for program in memtrack memview; do
	case $program in memview) binary=$memview ;; *) binary=$memtrack ;; esac
	if ! [ -x "$binary" ]; then
		skip "$program" "it is not built"
		continue
	fi
	like "$("$binary" --version)" "^$program .*$version" "$program --version says $version"
	"$binary" --help >"$work/help" 2>&1
	is $? 0 "$program --help exits 0"
	ok "$program --help names options" [ "$(options_of_help "$binary" | wc -l)" -ge 2 ]
	page=$(find "$top_srcdir" "$top_builddir" -name "$program.1" | head -n 1)
	if [ -z "$page" ]; then
		not_ok "$program(1)" "there is no man page"
		continue
	fi
	options_of_help "$binary" >"$work/help"
	options_of_page "$page" >"$work/page"
	is "$(comm -23 "$work/help" "$work/page" | paste -sd' ' -)" "" "$program(1) has every option of --help"
	if command -v man >/dev/null; then
		is "$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)" "" \
			"$program(1) formats without warnings"
	else
		skip "$program(1) formats without warnings" "man is not installed"
	fi
done
done_testing
