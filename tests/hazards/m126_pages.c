/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* M126: memory straight from mmap has its own view, apart from the heap. */
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

static void *__attribute__((noinline)) arena_new(size_t pages)
{
	void *arena = mmap(NULL, pages << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(arena != MAP_FAILED);
	return arena;
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 10; i++)
		sink = arena_new(126);
	munmap(sink, 126 << 12);
	sink = malloc(1260);
	return hazard_done();
}
