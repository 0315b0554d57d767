# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: `make install` puts the three parts where they find each other, under DESTDIR too.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
unset MAKEFLAGS MAKELEVEL MFLAGS
root=$work/root
ok "make install DESTDIR=..." make -C "$top_builddir" install DESTDIR="$root"

# where NAME: its path below the root.
where() { (cd "$root" && find . -name "$1" | sed 's/^\.//'); }
like "$(where memtrack | grep /bin/)" '/bin/memtrack$' "memtrack is in bin"
like "$(where memview)" '/bin/memview$' "memview is in bin"
like "$(where memtrack.so)" '/lib[^/]*/memtrack/memtrack\.so$' "memtrack.so is in pkglibdir"
like "$(where memtrack.1)" '/man1/memtrack\.1$' "memtrack(1)"
like "$(where memview.1)" '/man1/memview\.1$' "memview(1)"
like "$(where memtrack-trace.5)" '/man5/memtrack-trace\.5$' "memtrack-trace(5)"
is "$(where '*.a')$(where '*.h')" "" "no libraries or headers of ours"

cd "$work" || exit 1
"$root$(where memtrack | grep /bin/)" --no-report -o t.mtk sh -c 'exit 5' 2>"$work/err"
is "$?:$(cat "$work/err")" "5:" "the installed memtrack finds its hook"
like "$("$root$(where memview)" --report t.mtk)" 'exited with status 5' "the installed memview reports"
cd "$top_builddir" || exit 1
ok "make uninstall DESTDIR=..." make uninstall DESTDIR="$root"
is "$(find "$root" -type f)" "" "and nothing is left"
done_testing
