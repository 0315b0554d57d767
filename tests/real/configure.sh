# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: bash runs a configure script, every process of it traced: this tree's with
# MEMTRACK_LONG=1, else one of a few lines.
. "${top_srcdir:-.}/tests/real/real.sh"
need bash gcc

options='--no-report --follow'
script=$work/tree/configure
mkdir "$work/tree" "$work/plain" "$work/traced"
if [ -n "${MEMTRACK_LONG:-}" ]; then
	script=$top_srcdir/configure
else
	cat >"$script" <<'END'
checked=$(for tool in sed grep awk; do command -v $tool >/dev/null && echo "$tool=yes"; done)
echo "checking for tools... $checked" | sed 's/=yes//g'
cat >conftest.c <<EOF
int main(void) { return sizeof(long) == 8 ? 0 : 1; }
EOF
(gcc -o conftest conftest.c && ./conftest) >config.log 2>&1 && echo "long has 8 bytes"
printf '%s\n' "$checked" | sort | awk -F= '{ print "#define HAVE_" toupper($1) " 1" }' >config.h
rm -f conftest conftest.c
exit 3
END
fi

cd "$work/plain" && run_plain bash "$script"
cd "$work/traced" && run_traced bash "$script"
same_runs configure
for file in config.status config.h Makefile result; do
	[ -f "$work/plain/$file" ] || continue
	sed "s|$work/traced|$work/plain|g" "$work/traced/$file" >"$work/$file"
	ok "configure: the same $file" cmp "$work/plain/$file" "$work/$file"
done
check_family configure 10
done_testing
