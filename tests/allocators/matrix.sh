# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: allocators linked and preloaded, in any order: what a program does and what is counted of it
# is the same, and the allocator's own brk and mmap calls are seen below.
. "${top_srcdir:-.}/tests/real/real.sh"
. "$top_srcdir/tests/allocators/allocators.sh"
alone=$counter

# both NAME COMMAND...: as an independent counter has it, and as the program says.
both()
{
	traced_as_untraced "$@"
	expected "$work/traced.out" "$work/traces/t.mtk" "$1: the trace holds what it did"
}

# inner NAME: the allocator's own calls.
inner()
{
	ok "$1: its brk and mmap calls are seen" \
		[ "$("$dump" "$work/traces/t.mtk" | awk '$1 == "event" && $7 == 1 { n++ } END { print n + 0 }')" -gt 0 ]
}

linked()
{
	if ! ${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O0 -w -fno-builtin "$top_srcdir/tests/allocators/calls.c" \
			-o "$work/linked" -pthread -Wl,--no-as-needed "$2" -ldl; then
		skip "$1 linked" "it cannot be linked"
		return
	fi
	counter=$alone
	both "$1 linked, C" "$work/linked" counts
	inner "$1 linked"
}

for allocator in glibc jemalloc tcmalloc tcmalloc_minimal mimalloc bump freelist; do
	file=$(library $allocator)
	if [ $allocator != glibc ] && [ ! -f "$file" ]; then
		skip "$allocator" "it is not installed"
		continue
	fi
	counter=$alone${file:+:$file}
	both "$allocator, C" "$calls" counts
	[ $allocator = glibc ] || inner "$allocator"
	both "$allocator, threads" "$calls" threads
	both "$allocator, C++" "$calls_cxx"
	[ $allocator = glibc ] || linked $allocator "$file"
done

# The user preloads the hook as well, before or behind the allocator.
freelist=$(library freelist)
for preload in "$hook:$freelist" "$freelist:$hook"; do
	"$memtrack" $options -o "$work/twice.mtk" env LD_PRELOAD="$preload" "$calls" counts >"$work/out" 2>"$work/err"
	is "$?:$(cat "$work/err")" "0:" "the hook preloaded twice"
	expected "$work/out" "$work/twice.mtk" "the hook preloaded twice: the trace holds what it did"
done
like "$("$memview" --report "$work/twice.mtk")" 'malloc is that of freelist\.so' "the report names the allocator"
done_testing
