/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smallest allocator there is: a pointer that moves up through what sbrk gives.
 *
 *	LD_PRELOAD=examples/bump.so COMMAND
 *
 *	heap:  |size|block.....|size|block..|size|block...|          |
 *	                                                  ^ next     ^ limit
 *
 * free gives back the newest block only; all other memory stays taken until the program ends.
 * doc/FOOTPRINT.md looks at what that costs. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define CHUNK	(64u << 10)	/* taken from the system at a time */

static char *next, *limit;

/* Bytes before a block that hold its size; a block is aligned, so this is just below it. */
static size_t *size_of(const void *p)
{
	return (size_t *)p - 1;
}

/* Makes sure that `end` is ours.  sbrk may be called by others, too: then we start anew behind. */
static int grow(size_t bytes)
{
	char *chunk = sbrk((intptr_t)bytes);

	if (chunk == (char *)-1)
		return 0;
	if (chunk != limit)
		next = chunk;
	limit = chunk + bytes;
	return 1;
}

static void *block_new(size_t alignment, size_t size)
{
	for (int tries = 0; tries < 3; tries++) {
		uintptr_t p = ((uintptr_t)next + sizeof(size_t) + alignment - 1) & ~(alignment - 1);

		if (next && p + size <= (uintptr_t)limit) {
			next = (char *)p + size;
			*size_of((void *)p) = size;
			return (void *)p;
		}
		if (!grow((size + alignment + sizeof(size_t) + CHUNK) / CHUNK * CHUNK))
			break;
	}
	return NULL;
}

static void block_free(void *p)
{
	if ((char *)p + *size_of(p) == next)
		next = (char *)size_of(p);
}

static size_t block_room(const void *p)
{
	return *size_of(p);
}

#include "examples/malloc_api.h"
