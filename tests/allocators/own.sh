# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: programs that define malloc themselves are said to, and never shown as an empty heap.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/allocators/allocators.sh"

# build NAME FLAG...
build()
{
	name=$1
	shift
	${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O0 -g -fno-builtin "$@" \
		"$top_srcdir/tests/allocators/own.c" -o "$work/$name"
}
build exported -DVISIBLE= || skip_all "no compiler"
build forwarding -DFORWARD
build hidden -DHIDDEN '-DVISIBLE=__attribute__((visibility("hidden")))'

for name in exported forwarding hidden; do
	for depth in 0 64; do
		"$memtrack" --no-report -d $depth -o "$work/$name.mtk" "$work/$name" >"$work/out" 2>"$work/err"
		is "$?:$(cat "$work/out")" "0:OK" "$name, depth $depth: runs unharmed"
	done
	"$memview" --report "$work/$name.mtk" | tr -s '\n ' ' ' >"$work/$name.report"
done
heap() { "$dump" "$work/$1.mtk" | awk '$1 == "event" && $4 != "mmap" { n++ } END { print n + 0 }'; }
mapped() { "$dump" "$work/$1.mtk" | grep -c ' mmap 1048576 '; }

like "$(cat "$work/err")" 'an allocator inside \(malloc\)' "hidden: said on stderr"
like "$(cat "$work/hidden.report")" 'has an allocator inside \(malloc' "hidden: the report says so"
like "$(cat "$work/exported.report")" 'uses its own allocator \(malloc resolves to [^ ]*/exported\): only its brk and mmap calls are visible, not its heap' \
	"exported: the report says so"
is "$(heap exported)" 0 "exported: what strdup takes from it is not taken for libc's"
is "$(mapped exported)" 1 "exported: its mappings are there"
like "$(cat "$work/forwarding.report")" 'uses its own allocator .* and blocks that it takes from others' \
	"forwarding: the report says what is to be seen"
is "$("$dump" "$work/forwarding.mtk" | awk '$1 == "event" { n[$4 " " $5]++ }
	END { print n["malloc 10007"] + 0, n["strdup 6"] + 0 }')" "100 100" "forwarding: each call is seen once"
ok "forwarding: so is each free" [ "$("$dump" "$work/forwarding.mtk" | grep -c ' free - ')" -ge 200 ]
like "$("$dump" --facts "$work/exported.mtk")" '^fact allocator-in program' "the trace has the fact"

# The same after an exec and in a child.
"$memtrack" --no-report -o "$work/t.mtk" sh -c "exec $work/exported" >"$work/out" 2>"$work/err"
like "$("$dump" --facts "$work/t.mtk")" '^fact allocator-in program' "after an exec"
like "$(cat "$work/err")" 'uses its own allocator' "... said on stderr, too"

# Allocators linked in as archives.
for archive in jemalloc tcmalloc_minimal; do
	file=$(find /usr/lib -name "lib$archive.a" 2>/dev/null | head -n 1)
	if [ -z "$file" ]; then
		skip "$archive linked in" "there is no lib$archive.a"
		continue
	fi
	if ! ${MEMTRACK_CC:-cc} -O0 -fno-builtin "$top_srcdir/tests/allocators/calls.c" -D_GNU_SOURCE -w -o "$work/static" \
		-Wl,--whole-archive "$file" -Wl,--no-whole-archive -pthread -lstdc++ -lm -ldl; then
		skip "$archive linked in" "it cannot be linked"
		continue
	fi
	"$work/static" counts >"$work/plain"
	"$memtrack" --no-report -o "$work/t.mtk" "$work/static" counts >"$work/out" 2>"$work/err"
	ok "$archive linked in: the same output" cmp "$work/plain" "$work/out"
	like "$(cat "$work/err")" 'uses its own allocator \(malloc resolves to .*/static\)' "$archive linked in: said"
	like "$("$memview" --report "$work/t.mtk" | tr -s '\n ' ' ')" 'only its brk and mmap calls are visible' \
		"$archive linked in: the report says so"
done
done_testing
