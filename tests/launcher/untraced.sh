#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what cannot be preloaded runs as always, and memtrack says why it is not traced.
. "${top_srcdir:-.}/tests/tap.sh"

cc=${MEMTRACK_CC:-cc}
cat >"$work/p.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(100); p[0] = 1; puts("OK"); free(p); return 4; }
END

# check NAME PROGRAM PATTERN
check()
{
	out=$("$memtrack" --no-report -o "$work/t.mtk" "$2" 2>"$work/err")
	is "$?:$out" "4:OK" "$1: runs as always"
	like "$(cat "$work/err")" "not traced: .*$3" "$1: the reason"
	is "$(grep -vc '^memtrack:' "$work/err")" 0 "$1: nothing else on stderr"
	out=$("$memtrack" -q -o "$work/t.mtk" "$2" 2>"$work/err")
	is "$?:$out:$(cat "$work/err")" "4:OK:" "$1: silent with -q"
}

# check_or_skip NAME PATTERN FLAG...: a build of p.c
check_or_skip()
{
	name=$1 pattern=$2
	shift 2
	if $cc "$@" -o "$work/p" "$work/p.c" 2>/dev/null && [ "$("$work/p")" = OK ]; then
		check "$name" "$work/p" "$pattern"
	else
		skip "$name" "cannot be built or run here"
	fi
}

check_or_skip static "statically linked" -static
check_or_skip static-pie "statically linked" -static-pie
check_or_skip 32-bit "32-bit" -m32
check_or_skip AddressSanitizer "instrumented" -fsanitize=address
check_or_skip ThreadSanitizer "instrumented" -fsanitize=thread
$cc -o "$work/p" "$work/p.c"
if [ "$(id -u)" = 0 ] && chown 65534 "$work/p" && chmod 4755 "$work/p"; then
	check setuid "$work/p" "setuid"
else
	skip setuid "needs root"
fi

$cc -o "$work/p" "$work/p.c"
cat >"$work/cleared" <<END
#!/bin/sh
exec env -i LD_PRELOAD= "$work/p"
END
chmod +x "$work/cleared"
out=$("$memtrack" --no-report -o "$work/t.mtk" "$work/cleared" 2>"$work/err")
is "$?:$out" "4:OK" "a cleared environment: runs as always"
start=$(date +%s)
"$memtrack" --no-report -o "$work/t.mtk" sh -c 'sleep 0.1; exit 6' 2>"$work/err"
is $? 6 "a shell is traced"
unlike "$(cat "$work/err")" 'not traced' "and nothing is said about it"
ok "none of it waits long" test $(($(date +%s) - start)) -lt 5
done_testing
