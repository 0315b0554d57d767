/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Anonymous mappings: made, moved, released whole and in parts. */
#include "tests/soak/soak.h"

#include <sys/mman.h>

#define PAGE 4096u

static char *map(size_t size)
{
	char *at;

	call_enter(OP_MMAP, size);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	call_leave();
	if (at == MAP_FAILED)
		return NULL;
	at[0] = at[size - 1] = 1;
	return at;
}

static void unmap(char *at, size_t size)
{
	call_enter(OP_MUNMAP, size);
	if (munmap(at, size))
		complain("munmap failed");
	call_leave();
}

static char *move(char *at, size_t old, size_t size)
{
	char *now;

	worker.old_bytes = old;
	call_enter(OP_MREMAP, size);
	now = mremap(at, old, size, MREMAP_MAYMOVE);
	call_leave();
	if (now == MAP_FAILED) {
		complain("mremap failed");
		return at;
	}
	return now;
}

void pages_step(void)
{
	unsigned pages = 2 + random_below(&worker.random, 14);
	size_t size = pages * PAGE;
	char *at = map(size);

	if (!at)
		return;
	switch (random_below(&worker.random, 4)) {
	case 0:
		at = move(at, size, 2 * size);
		size *= 2;
		break;
	case 1:
		unmap(at, PAGE);
		at += PAGE;
		size -= PAGE;
		break;
	case 2:
		call_enter(OP_MMAP, PAGE);
		if (mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			complain("a fixed mmap failed");
		call_leave();
		break;
	}
	unmap(at, size);
}
