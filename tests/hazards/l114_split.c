/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L114: mprotect cuts the code into three mappings; each calls malloc.  Says how many there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096

void *volatile kept[3];

#define LEAK(name, n) \
	__attribute__((noinline, aligned(PAGE))) static void name(void) { kept[n] = malloc(1140 + n); }

LEAK(before_cut, 0)
LEAK(in_cut, 1)
LEAK(behind_cut, 2)

static int code_mappings(const char *program)
{
	char line[4200];
	FILE *maps = fopen("/proc/self/maps", "r");
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, program) && strchr(line, 'x') == strchr(line, ' ') + 3;
	if (maps)
		fclose(maps);
	return count;
}

int main(void)
{
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n < 0 ? 0 : n] = '\0';
	if (mprotect((void *)(void (*)(void))in_cut, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 1;
	before_cut();
	in_cut();
	behind_cut();
	printf("%d\n", code_mappings(program));
	return 0;
}
