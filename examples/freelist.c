/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A first-fit allocator over sbrk: freed blocks go into a list, neighbours are joined.
 *
 *	LD_PRELOAD=examples/freelist.so COMMAND
 *
 *	heap:  |head|used....|head|free.........|head|used..|head|free....|fence|
 *	                      list: <---------------------------> head
 *
 * Every block knows the size of the one below it, so both neighbours of a freed block are found
 * at once.  A fence (a head without a block, marked as used) ends the heap.
 * doc/FOOTPRINT.md looks at what it costs. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define CHUNK	(64u << 10)	/* taken from the system at a time */
#define TRIM	(256u << 10)	/* this much free memory at the end goes back */
#define HEAD	16u
#define LEAST	32u		/* a free block holds its head and the links of the list */
#define USED	1u

struct block {
	size_t below;		/* bytes of the block below, its head included; 0: the first one */
	size_t size;		/* bytes with the head, a multiple of 16 | USED */
	struct block *next, *last;	/* while it is free */
};

static struct block *list;
static struct block *fence;

static size_t bytes_of(const struct block *b)
{
	return b->size & ~(size_t)USED;
}

static struct block *above(struct block *b)
{
	return (struct block *)((char *)b + bytes_of(b));
}

static struct block *head_of(const void *p)
{
	return (struct block *)((char *)p - HEAD);
}

static void list_add(struct block *b)
{
	b->last = NULL;
	b->next = list;
	if (list)
		list->last = b;
	list = b;
}

static void list_remove(struct block *b)
{
	if (b->next)
		b->next->last = b->last;
	if (b->last)
		b->last->next = b->next;
	else
		list = b->next;
}

/* A free block of `size` bytes at b, joined with what is free around it. */
static struct block *release(struct block *b, size_t size)
{
	b->size = size;
	if (b->below && !(((struct block *)((char *)b - b->below))->size & USED)) {
		b = (struct block *)((char *)b - b->below);
		list_remove(b);
		b->size += size;
	}
	if (!(above(b)->size & USED)) {
		list_remove(above(b));
		b->size += bytes_of(above(b));
	}
	above(b)->below = b->size;
	list_add(b);
	return b;
}

/* More memory: the old fence becomes the head of it, unless somebody else called sbrk meanwhile. */
static int grow(size_t size)
{
	size_t bytes = (size + 2 * HEAD + CHUNK - 1) / CHUNK * CHUNK;
	struct block *b = sbrk((intptr_t)bytes);

	if (b == (void *)-1)
		return 0;
	if (fence && (char *)b == (char *)fence + HEAD) {
		b = fence;
	} else {
		bytes -= HEAD;
		b->below = 0;
	}
	fence = (struct block *)((char *)b + bytes);
	fence->size = USED;
	release(b, bytes);
	return 1;
}

/* Cuts b, which is in no list: `size` bytes stay in it, the rest becomes free. */
static void split(struct block *b, size_t size)
{
	size_t rest = bytes_of(b) - size;
	struct block *r = (struct block *)((char *)b + size);

	b->size |= USED;
	if (rest < LEAST)
		return;
	b->size = size | USED;
	r->below = size;
	release(r, rest);
}

/* How far into b a block must begin so that it is aligned; what is left before it must be able to
 * be a block. */
static size_t gap(const struct block *b, size_t alignment)
{
	uintptr_t p = (uintptr_t)b + HEAD, aligned = (p + alignment - 1) & ~(alignment - 1);

	while (aligned != p && aligned - p < LEAST)
		aligned += alignment;
	return aligned - p;
}

static void *carve(struct block *b, size_t before, size_t size)
{
	struct block *front = b;

	list_remove(b);
	if (before) {
		b = (struct block *)((char *)front + before);
		b->below = before;
		b->size = (bytes_of(front) - before) | USED;
		above(b)->below = bytes_of(b);
		release(front, before);
	}
	split(b, size);
	return (char *)b + HEAD;
}

static void *block_new(size_t alignment, size_t size)
{
	size = size < LEAST - HEAD ? LEAST : (size + HEAD + 15) & ~(size_t)15;
	for (int tries = 0; tries < 2; tries++) {
		for (struct block *b = list; b; b = b->next)
			if (bytes_of(b) >= gap(b, alignment) + size)
				return carve(b, gap(b, alignment), size);
		if (!grow(size + (alignment > HEAD ? alignment + LEAST : 0)))
			break;
	}
	return NULL;
}

/* The last block is free and large: back to the system with it. */
static void trim(struct block *b)
{
	size_t bytes = (bytes_of(b) - LEAST) / CHUNK * CHUNK;

	if (above(b) != fence || bytes_of(b) < TRIM || sbrk(0) != (char *)fence + HEAD)
		return;
	if (sbrk(-(intptr_t)bytes) == (void *)-1)
		return;
	b->size -= bytes;
	fence = above(b);
	fence->below = b->size;
	fence->size = USED;
}

static void block_free(void *p)
{
	trim(release(head_of(p), bytes_of(head_of(p))));
}

static size_t block_room(const void *p)
{
	return bytes_of(head_of(p)) - HEAD;
}

#include "examples/malloc_api.h"
