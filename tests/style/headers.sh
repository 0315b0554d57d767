# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: each header compiles alone, and is guarded by its own name.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 1

compiles()
{
	printf '#include "%s"\n' "$1" >"$work/one.c"
	# shellcheck disable=SC2086
	${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -I. -I"$top_builddir" -fsyntax-only \
		-Wall -Wextra -Wundef -Wmissing-prototypes -Wno-unused -Werror "$work/one.c"
}

# A CPU's own headers: with its compiler only (tests/aarch64 has that of others).
cpu=$(${MEMTRACK_CC:-cc} -dumpmachine)
cpu=${cpu%%-*}

# foreign HEADER: it is another CPU's.
foreign()
{
	case $1 in
	*_"$cpu".h) return 1 ;;
	*_x86_64.h | *_aarch64.h) return 0 ;;
	*) return 1 ;;
	esac
}

for header in base/*.h trace/*.h hook/*.h symbols/*.h inject/*.h store/*.h wire/*.h launcher/*.h model/*.h \
		memview/*.h tests/*.h tests/*/*.h; do
	[ -f "$header" ] || continue
	foreign "$header" || ok "$header compiles alone" compiles "$header"
	guard=$(printf '%s' "$header" | tr 'a-z/.-' 'A-Z___')
	if ! grep -q "^#ifndef $guard\$" "$header"; then
		not_ok "$header is guarded" "want #ifndef $guard"
	fi
done
done_testing
