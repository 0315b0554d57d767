#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the command finds the descriptors, limits and environment it would find without memtrack.
. "${top_srcdir:-.}/tests/tap.sh"

run() { "$memtrack" -q --no-report -o "$work/t.mtk" "$@"; }

cat >"$work/fds.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
	static const int limits[] = { RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_STACK, RLIMIT_CORE };
	FILE *out = fopen(argv[1], "w");
	int own = fileno(out);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != own && fcntl(fd, F_GETFD) >= 0)
			fprintf(out, "%d ", fd);
	for (int i = 0; i < 5; i++) {
		struct rlimit r;
		getrlimit(limits[i], &r);
		fprintf(out, "%llx/%llx ", (long long)r.rlim_cur, (long long)r.rlim_max);
	}
	return argc != 2;
}
END
${MEMTRACK_CC:-cc} -o "$work/fds" "$work/fds.c" 2>/dev/null || skip_all "no compiler"

# same NAME SHELL-TEXT: SHELL-TEXT runs "$@", once plainly and once under memtrack.
same()
{
	rm -f "$work/a" "$work/b"
	sh -c "$2" - "$work/fds" "$work/a"
	sh -c "$2" - "$memtrack" -q --no-report -o "$work/t.mtk" "$work/fds" "$work/b"
	is "$(cat "$work/b")" "$(cat "$work/a")" "$1"
	ok "... and it was traced" test -s "$work/t.mtk"
}

same "plainly" '"$@" </dev/null'
same "stdin closed" '"$@" <&-'
same "stdout closed" '"$@" </dev/null >&-'
same "stderr closed" '"$@" </dev/null 2>&-'
same "all closed" '"$@" <&- >&- 2>&-'
same "others open" '"$@" </dev/null 5</dev/null 9>/dev/null'
same "few descriptors allowed" 'ulimit -S -n 12; "$@" </dev/null'
same "a soft limit of file size" 'ulimit -S -f 1000; "$@" </dev/null'
if asan_build; then
	skip "a limit of the address space" "AddressSanitizer takes more than any"
else
	same "a limit of the address space" 'ulimit -v 600000; "$@" </dev/null'
fi

is "$(run env)" "$(env)" "the environment is the same"
if asan_build; then
	skip "the user's LD_PRELOAD too" "AddressSanitizer does not bear libc in front of it"
else
	is "$(LD_PRELOAD=libc.so.6 run env | grep LD_PRELOAD)" "LD_PRELOAD=libc.so.6" "the user's LD_PRELOAD too"
fi
is "$(run sh -c 'env; exec env')" "$(sh -c 'env; exec env')" "also for its children, and after an exec"
is "$(echo text | run cat)" "text" "stdin is the user's"
is "$(run sh -c 'echo out; echo err >&2' 2>&1 | tr '\n' ' ')" "out err " "stdout and stderr, in order"
is "$(cd / && run pwd)" "/" "the working directory"
is "$(run sh -c 'ps -o pgid= -p $$' | tr -d ' ')" "$(ps -o pgid= -p $$ | tr -d ' ')" "the process group"
is "$(umask 027; run sh -c umask)" "0027" "the umask"
done_testing
