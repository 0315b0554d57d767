/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N133: 192 MiB from malloc, which takes them from mmap, and 64 MiB straight from mmap. */
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 3; i++)
		sink = malloc(64 << 20);
	sink = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	free(malloc(64 << 20));
	return hazard_done();
}
