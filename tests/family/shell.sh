#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: -f on shells with many subshells, on make, python and perl: same output, no process lost.
. "${top_srcdir:-.}/tests/tap.sh"
. "${top_srcdir:-.}/tests/family/family.sh"

# MEMTRACK_LONG=1: as many as a large configure has
many=40 crowd=12
[ -z "${MEMTRACK_LONG:-}" ] || { many=3000 crowd=100; }

# same NAME COMMAND...: traced with -f as untraced, all traces whole
same()
{
	name=$1
	shift
	"$@" >native 2>native.err
	native=$?
	run -f "$@"
	is "$status" "$native" "$name: the status"
	ok "$name: the output" cmp out native
	ok "$name: the errors" cmp err native.err
	is "$(broken)" "" "$name: every trace is whole"
	is "$(facts t.mtk child)" "" "$name: nobody is left out"
}

cat >loop.sh <<END
i=0
while [ \$i -lt $many ]; do ( : ); i=\$((i + 1)); done
i=0
while [ \$i -lt $crowd ]; do ( x=\$(echo \$i); [ "\$x" = \$i ] || echo wrong ) & i=\$((i + 1)); done
wait
echo done
END
for shell in bash sh; do
	command -v $shell >/dev/null || continue
	same "$shell loop" $shell loop.sh
	is "$(traces)" "$((1 + many + 2 * crowd))" "$shell loop: a trace for each"
	is "$(facts t.mtk relative | awk '{ print $2 }' | sort -u | wc -l | tr -d ' ')" "$((many + 2 * crowd))" \
		"$shell loop: the first names all"
done

cat >Makefile <<'END'
all: a b ; @cat a b
.PHONY: a b
a b: ; @x=`echo $@`; echo made $$x >$@
END
if command -v make >/dev/null; then
	same make make -s -j2
fi
if command -v python3 >/dev/null; then
	cat >pool.py <<'END'
import multiprocessing, subprocess, sys
def square(x):
    return x * x
if __name__ == "__main__":
    for way in "fork", "spawn":
        with multiprocessing.get_context(way).Pool(2) as pool:
            print(way, pool.map(square, range(5)))
    print(subprocess.run([sys.executable, "-c", "print(6 * 7)"], stdout=subprocess.PIPE).stdout)
END
	same python python3 pool.py
fi
if command -v perl >/dev/null; then
	same perl perl -e 'for $i (1 .. 5) { if (!fork) { @x = map { "x" x $_ } 1 .. 100; exit 0 } wait }
		print `echo child`; system("echo system"); print "end\n"'
	is "$(traces)" 8 "perl: a trace for each"
fi
done_testing
