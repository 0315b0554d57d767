# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: make -j2 builds a program with gcc, all processes traced: the same files as untraced; and
# clang, if there, compiles the same file to the same code.
. "${top_srcdir:-.}/tests/real/real.sh"
need make gcc

unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES GNUMAKEFLAGS
options='--no-report --follow'
# tree NAME: a project of some of memtrack's own files.
tree()
{
	mkdir "$work/$1"
	cp "$top_srcdir"/base/text.c "$top_srcdir"/base/map.c "$top_srcdir"/base/alloc.c \
		"$top_srcdir"/base/hash.c "$work/$1/" 2>/dev/null
	cat >"$work/$1/main.c" <<'END'
#include <stdio.h>
int main(void) { puts("built"); return 0; }
END
	cat >"$work/$1/Makefile" <<END
CFLAGS = -std=gnu11 -D_GNU_SOURCE -I$top_srcdir -O2
objects = \$(patsubst %.c,%.o,\$(filter-out main.c,\$(wildcard *.c)))
program: main.o libparts.a
	gcc -o \$@ main.o libparts.a
libparts.a: \$(objects)
	ar rcD \$@ \$(objects)
%.o: %.c
	gcc \$(CFLAGS) -c -o \$@ \$<
END
}

tree plain
tree traced
cd "$work/plain" && run_plain make -j2 -s
cd "$work/traced" && run_traced make -j2 -s
is "$(cat "$work/traced.status")" 0 "make -j2: exits 0"
same_runs "make -j2"
for file in program libparts.a map.o; do
	ok "make -j2: the same $file" cmp "$work/plain/$file" "$work/traced/$file"
done
is "$("$work/traced/program")" built "make -j2: the program runs"
check_family "make -j2" 10

if command -v clang >/dev/null; then
	run_plain clang -O2 -c -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -o "$work/plain.o" "$work/plain/map.c"
	run_traced clang -O2 -c -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -o "$work/traced.o" "$work/plain/map.c"
	same_runs clang
	ok "clang: the same object file" cmp "$work/plain.o" "$work/traced.o"
	check_family clang 1
else
	skip clang "clang is not installed"
fi
done_testing
