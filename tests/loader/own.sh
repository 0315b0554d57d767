# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: functions that one allocator has under names of its own are counted as the program counts
# them, bound early or late; a program that asks by a weak symbol which allocator it runs on hears
# no lie.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}
flags="-O1 -g -fno-builtin -fno-inline -w"

# linked NAME LIBRARY [FLAG...]: its program, linked so.
linked()
{
	name=$1 library=$2
	shift 2
	program=$work/$name
	# shellcheck disable=SC2086
	if $cc $flags "$@" -o "$program" "$top_srcdir/tests/loader/own_$name.c" "-l$library" 2>"$work/.ld"; then
		behaves "$name $*" "$program"
	else
		skip "$name" "lib$library is not installed"
	fi
}

linked jemalloc jemalloc -Wl,-z,now
linked jemalloc jemalloc -Wl,-z,lazy
linked jemalloc jemalloc -no-pie -fno-pie
linked tcmalloc tcmalloc
linked mimalloc mimalloc

cat >"$work/weak.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
extern void *mallocx(size_t, int) __attribute__((weak));
extern void *tc_malloc(size_t) __attribute__((weak));
extern void *mi_malloc(size_t) __attribute__((weak));
int main(void)
{
	free(malloc(1));
	printf("%d %d %d %d\n", mallocx != 0, tc_malloc != 0, mi_malloc != 0,
	       dlsym(RTLD_DEFAULT, "mallocx") != 0);
	return 0;
}
C
# shellcheck disable=SC2086
$cc $flags -o "$work/weak" "$work/weak.c" -ldl
is "$("$work/weak")" "0 0 0 0" "none of them is there"
behaves "weak symbols" "$work/weak"
done_testing
