#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: names and lines come out the same from the user's symbol cache, without it, and whatever is in its place.
. "${top_srcdir:-.}/tests/tap.sh"

cat >"$work/p.c" <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) void *inner(size_t n) { return malloc(n); }
__attribute__((noinline)) void *middle(int n) { void *p = inner(n); __asm__ volatile("" ::: "memory"); return p; }
__attribute__((noinline)) void outer(int n) { for (int i = 0; i < n; i++) *(void *volatile *)&(void *){0} = middle(100 + i); }
int main(void) { outer(3); outer(4); return 0; }
END
${MEMTRACK_CC:-cc} -O1 -g -Wl,--build-id -o "$work/p" "$work/p.c" || exit 1
export XDG_CACHE_HOME="$work/cache"

# session NAME OPTIONS...: its frames, with functions, files and lines
session()
{
	name=$1
	shift
	"$memtrack" --no-report "$@" -o "$work/$name.mtk" "$work/p" || echo failed
	"$memview" --report "$work/$name.mtk" | grep -E 'p\.c:|inner|middle|outer' >"$work/$name"
}

session off --no-symbol-cache
ok "switched off, it leaves nothing" test ! -e "$work/cache"
like "$(cat "$work/off")" "p.c:3" "lines are found without it"
MEMTRACK_SYMBOL_CACHE=0 session off_too
ok "nor by its variable" test ! -e "$work/cache"
session first
id=$(readelf -n "$work/p" | sed -n 's/.*Build ID: //p')
file=$work/cache/memtrack/$id
ok "a session keeps what it found, by build-id" test -s "$file"
is "$(stat -c %a "$work/cache/memtrack")" 700 "nobody else may look"
ok "the same with it" cmp "$work/off" "$work/first"

touch -d 2001-01-01 "$file"
before=$(stat -c %i "$file")
session second
ok "the same from it" cmp "$work/off" "$work/second"
is "$(stat -c %i "$file")" "$before" "the second session had nothing to add"
ok "it was used" test "$(stat -c %Y "$file")" -gt 1000000000

printf 'nonsense' | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
session damaged
ok "the same with a damaged file" cmp "$work/off" "$work/damaged"
chmod 777 "$work/cache/memtrack"
rm "$file"
session open
ok "the same with a directory that others may write" cmp "$work/off" "$work/open"
ok "which is not used" test ! -e "$file"
rm -rf "$work/cache"
: >"$work/cache"
session nowhere
ok "the same where there can be none" cmp "$work/off" "$work/nowhere"
rm "$work/cache"

for i in 1 2 3 4; do
	"$memtrack" -q --no-report -o "$work/c$i.mtk" "$work/p" &
done
wait
for i in 1 2 3 4; do
	"$memview" --report "$work/c$i.mtk" | grep -E 'p\.c:|inner|middle|outer' >"$work/c$i"
	cmp -s "$work/off" "$work/c$i" || echo "$i"
done >"$work/differ"
is "$(cat "$work/differ")" "" "the same in sessions at the same time"
is "$(find "$work/cache/memtrack" -name '.new-*' | wc -l)" 0 "which leave nothing half made"

# What symbol tables say before the start.
cat >"$work/own.c" <<'END'
#include <stddef.h>
static char memory[1 << 20];
static size_t used;
void *malloc(size_t n) { used += (n + 31) & ~(size_t)15; return memory + used - ((n + 15) & ~(size_t)15); }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { return p ? NULL : malloc(n); }
void free(void *p) { (void)p; }
int main(void) { return malloc(100) == NULL; }
END
${MEMTRACK_CC:-cc} -fno-builtin -Wl,--build-id -o "$work/own" "$work/own.c" || exit 1
rm -rf "$work/cache"
programs=$work/cache/memtrack/programs
said() { "$memtrack" --no-report -o "$work/own.mtk" "$1" 2>&1 | grep 'own allocator'; }
like "$(said "$work/own")" "malloc resolves to $work/own" "a malloc of the program's own"
ok "what was read is kept" test -s "$programs"
before=$(stat -c %i "$programs")
like "$(said "$work/own")" "malloc resolves to $work/own" "the same from the cache"
is "$(stat -c %i "$programs")" "$before" "which has it all"
is "$(said "$work/p")" "" "a program without"
printf x | dd of="$programs" bs=1 seek=20 conv=notrunc 2>/dev/null
like "$(said "$work/own")" "malloc resolves to $work/own" "the same with a damaged file"
like "$("$memtrack" --no-symbol-cache --no-report -o "$work/own.mtk" "$work/own" 2>&1)" "malloc resolves to $work/own" \
	"and without"
done_testing
