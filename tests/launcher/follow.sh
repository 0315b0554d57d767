#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: exec in the same process, untraced children, and -f with one trace for each process.
. "${top_srcdir:-.}/tests/tap.sh"

dump=$testbin/tools/trace_dump
cat >"$work/p.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void work(int n, size_t size) { while (n--) free(malloc(size)); }
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	work(100, 77);
	if (!strcmp(how, "exec"))
		execl(argv[0], argv[0], "then", NULL);
	if (!strcmp(how, "then"))
		work(50, 78);
	if (!strcmp(how, "fork")) {
		for (int i = 0; i < 3; i++)
			if (fork() == 0) {
				work(30, 79);
				usleep(300000);
				_exit(i);
			}
		while (wait(NULL) > 0)
			;
	}
	if (!strcmp(how, "spawn") && fork() == 0)
		execl(argv[0], argv[0], "then", NULL);
	while (wait(NULL) > 0)
		;
	if (!strcmp(how, "daemon") && fork() == 0) {
		close(0), close(1), close(2);
		usleep(600000);
		work(40, 80);
	}
	return 0;
}
END
${MEMTRACK_CC:-cc} -O0 -fno-builtin -o "$work/p" "$work/p.c" 2>/dev/null || skip_all "no compiler"
cd "$work" || exit 1

# mallocs FILE SIZE: how many blocks of that size
mallocs() { "$dump" "$1" | awk -v size="$2" '$1 == "event" && $4 == "malloc" && $5 == size' | wc -l | tr -d ' '; }
run() { rm -f t.mtk*; "$memtrack" -q --no-report -o t.mtk "$@"; }

run ./p exec
is "$?:$(ls t.mtk*)" "0:t.mtk" "exec: one trace"
is "$("$dump" --facts t.mtk | grep -c '^exec')" 1 "that tells of the exec"
is "$(mallocs t.mtk 77):$(mallocs t.mtk 78)" "200:50" "and holds both images"
run sh -c 'exec ./p then'
is "$(mallocs t.mtk 77):$(mallocs t.mtk 78)" "100:50" "a wrapper that executes"
run ./p fork
is "$?:$(ls t.mtk*)" "0:t.mtk" "fork without -f: one trace"
is "$(mallocs t.mtk 77):$(mallocs t.mtk 79)" "100:0" "of the parent alone"
is "$("$dump" --facts t.mtk | grep -c "^child [0-9]* (fork)")" 3 "the children are named"

run -f ./p fork
is "$?:$(ls t.mtk* | wc -l | tr -d ' ')" "0:4" "fork with -f: four traces"
is "$(mallocs t.mtk 79)" 0 "the parent's holds nothing of the children's"
for f in t.mtk.*; do
	is "$(mallocs "$f" 79):$("$dump" --facts "$f" | tail -n 1)" "30:file 1 0 0" "a child's is whole"
done
is "$(for f in t.mtk.*; do "$dump" --facts "$f" | awk '$1 == "end" { print $3 }'; done | sort | tr '\n' ' ')" \
	"0 1 2 " "with each child's own status"
run -f ./p spawn
is "$?:$(ls t.mtk* | wc -l | tr -d ' ')" "0:2" "fork and exec with -f: two traces"
is "$(mallocs t.mtk.* 77):$(mallocs t.mtk.* 78)" "100:50" "the child's holds the new image"
run -f ./p daemon
is "$?:$(mallocs t.mtk.* 80)" "0:40" "-f waits for a daemon"
run -f sh -c './p then & ./p then & ./p then & ./p then & wait'
is "$(for f in t.mtk.*; do mallocs "$f" 78; done | tr '\n' ' ')" "50 50 50 50 " "many at once"
rm -f memtrack.*
"$memtrack" -q --no-report -f ./p spawn
is "$(ls memtrack.p.*.mtk | wc -l | tr -d ' ')" 2 "default names"
done_testing
