# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: gcc -O2 -c with --follow: the driver, cc1 and as, one trace each.
. "${top_srcdir:-.}/tests/real/real.sh"
need gcc

options='--no-report --follow'
cp "$top_srcdir/tests/tools/dump.c" "$work/source.c"
compile() { gcc -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -O2 -c -o "$work/out.o" "$work/source.c"; }

run_plain compile
cp "$work/out.o" "$work/plain.o"
run_traced gcc -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -O2 -c -o "$work/out.o" "$work/source.c"
is "$(cat "$work/traced.status")" 0 "gcc: exits 0"
ok "gcc: the same stderr" cmp "$work/plain.err" "$work/traced.err"
ok "gcc: the same object file" cmp "$work/plain.o" "$work/out.o"
check_traces gcc
programs=$(for trace in "$work"/traces/*; do
	"$testbin/tools/trace_dump" --facts "$trace" | awk '$1 == "fact" && $2 == "exe" || $1 == "module" { print $3 }'
done)
like "$programs" '/cc1( |$)' "cc1 was followed"
like "$programs" '/as( |$)|-as( |$)' "as was followed"
ok "one trace a process" [ "$(ls "$work/traces" | wc -l)" -ge 3 ]
done_testing
