# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack.so alone in programs of 64-bit ARM: they behave, the log is well-formed, and has exactly
# the events and bytes that an independent counter saw, and the stacks that the program says.
. "${top_srcdir:-.}/tests/aarch64/cross.sh"

cross memtrack.so counter.so counter_print cases chains
top_builddir=$out
hook=$out/memtrack.so
. "$top_srcdir/tests/standalone/standalone.sh"
. "$top_srcdir/tests/hook/expected.sh"

# In place of standalone.sh's: under qemu.  The counter reads its variable from the kernel.
preload=$hook
alone()
{
	arm_env="MEMTRACK_OUTPUT=$log LD_PRELOAD=$preload"
	while [ "$1" != -- ]; do
		arm_env="$arm_env $1"
		shift
	done
	shift
	rm -f "$log" "$work"/counts*
	arm "$@" >"$work/out" 2>"$work/err"
	status=$?
}

# Events and bytes by function, pages apart, since the log leaves out those that the allocator takes.
counted()
{
	preload=$hook
	process=$(awk 'NR == 1 { print $1 }' "$work/events")
	arm_env=
	arm "$out/counter_print" "$work/counts.$process" |
		awk '$1 !~ /^(mmap|munmap|mremap|brk|sbrk|EXIT|name)$/' | sort >"$work/want"
	awk '$3 !~ /^(mmap|munmap|mremap|brk|sbrk|EXIT)$/ { n[$3]++; if ($4 != "-") b[$3] += $4 }
		END { for (op in n) print op, n[op], b[op] + 0 }' "$work/events" | sort >"$work/got"
	is "$(cat "$work/got")" "$(cat "$work/want")" "$1: all events and bytes"
}

export MEMTRACK_TEST_COUNTER="$work/counts"
# Not under qemu 7.2: MADV_WIPEONFORK does nothing (fork), a jump out of its mmap hangs without us too (longjmp),
# nor can it execute programs for ARM (exec).
for name in destructors hidden errno names resize; do
	run_case "$name" "$out/cases" "$name"
done

# chain OF SIZE: the functions of the stacks of its allocations, innermost first, without libc's.
chains_of()
{
	awk -v size="size=$1 " '/ ts=/ { if (on) print line; on = index($0, size); line = ""; next }
		on && match($0, /\([A-Za-z_0-9]+\+0x/) { line = line substr($0, RSTART + 1, RLENGTH - 4) ";" }
		END { if (on) print line }' "$log" | sed 's/main;.*/main;/' | sort | uniq -c | awk '{ print $1, $2 }'
}

preload=$hook:$out/counter.so
alone MEMTRACK_STACK_DEPTH=64 -- "$out/chains"
is $status 0 "chains: exit status"
well_formed chains causal
counted chains
grep '^expect' "$work/out" | while read -r _ size count functions; do
	echo "$size $count $functions $(chains_of "$size" | tr '\n' ' ')"
done >"$work/chains"
ok "the program has chains to tell" [ "$(wc -l <"$work/chains")" -ge 5 ]
while read -r size count functions seen; do
	is "$seen" "$count $functions" "chains: $count of $functions"
done <"$work/chains"

if has_cxx; then
	cross throw plugin.so
	run_case throw "$out/throw"
	preload=$hook:$out/counter.so
	run_case plugin "$out/cases" plugin "$out/plugin.so"
	counted plugin
else
	skip C++ "no aarch64 C++ compiler or library (g++-aarch64-linux-gnu)"
fi
done_testing
