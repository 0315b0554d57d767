# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: frames of unloaded libraries keep their names, and a library at the address of an unloaded
# one is not taken for it, whoever unloaded that and whether it has a build-id or not.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}
for id in sha1 none; do
	for name in a b; do
		# shellcheck disable=SC2086
		$cc -O1 -g -fPIC -fno-builtin -shared "-Wl,--build-id=$id" "-DNAME=leak_in_$name" \
			-o "$work/$name.$id.so" "$top_srcdir/tests/loader/leaf.c" || exit 1
	done
	for how in plain hidden; do
		behaves "$how, build-id $id" "$testbin/loader/epochs" "$how" "$work/a.$id.so" "$work/b.$id.so"
		like "$(cat "$work/out")" 'always$' "the libraries lie where the others were"
	done
done

"$memtrack" --no-report -o "$work/trace" -- "$testbin/loader/epochs" plain "$work/a.sha1.so" "$work/b.sha1.so" >/dev/null
report=$("$memview" --report "$work/trace")
like "$report" 'leak_in_a.*leaf.c:[789]' "the report has the line in the first library"
like "$report" 'leak_in_b.*leaf.c:[789]' "and in the second"

# One call for all of them: the stacks differ in nothing but the library.
cat >"$work/inner.c" <<'EOF'
#include <stdlib.h>
void *NAME(int n);
__attribute__((noinline)) void *NAME(int n) { char *volatile p = malloc(n); p[0] = 1; return p; }
void *outer(int n);
void *outer(int n) { void *p = NAME(n); __asm__ volatile(""); return p; }
EOF
cat >"$work/turns.c" <<'EOF'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (volatile int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void *(*outer)(int) = (void *(*)(int))dlsym(library, "outer");
		outer(1000 * i);
		dlclose(library);
	}
	return 0;
}
EOF
for name in a b c; do
	$cc -O0 -g -fPIC -shared "-DNAME=turn_$name" -o "$work/turn_$name.so" "$work/inner.c" || exit 1
done
$cc -O0 -g -o "$work/turns" "$work/turns.c" -ldl || exit 1
"$memtrack" --no-report -o "$work/turns.mtk" -- "$work/turns" "$work/turn_a.so" "$work/turn_b.so" "$work/turn_c.so"
report=$("$memview" --report "$work/turns.mtk" | sed -n '/^Leaked/,/^At the/p' | tr -s ' \n' ' ')
like "$report" '1000 B in 1 block turn_a ' "the block of the first of three is the first's"
like "$report" '2.0 KiB in 1 block turn_b ' "that of the second is the second's"
like "$report" '2.9 KiB in 1 block turn_c ' "that of the third is the third's"
done_testing
