/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allocator of the soaking program: power-of-two classes, lock-free lists, so that signal
 * handlers may allocate wherever they interrupt, and jump out of it too (a block is lost then).
 *
 * Each block has a header right below it:
 *
 *	| alignment ... | base, size, birth, mark | the block |
 *
 * With SOAK_HEAP=libc the memory comes from libc's allocator instead. */
#include "tests/soak/shadow_count.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNIT 64u
#define CLASSES 26u		/* 64 bytes to 2 GiB */
#define ARENA (8ul << 30)
#define TOP_CLASS 18u		/* 16 MiB: more is refused */
#define MARK 0x6b616f73706d7567ull

struct header {
	char *base;
	size_t size;
	uint64_t birth;		/* generation << 1 | it was made inside another allocation */
	uint64_t mark;		/* MARK ^ all bytes taken; 0 when freed */
};

/* Index of the first free unit + 1, and above it a count of changes. */
static _Atomic uint64_t heads[CLASSES];
static _Atomic uint64_t used;
static char *arena;
static _Atomic uint64_t generation = 1;
static _Atomic int from_libc = -1;

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

static void choose(void)
{
	const char *heap = getenv("SOAK_HEAP");

	from_libc = heap && strcmp(heap, "libc") == 0;
	if (!from_libc)
		arena = shadow_map(NULL, ARENA, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static unsigned class_of(size_t bytes)
{
	return bytes <= UNIT ? 0 : 64 - (unsigned)__builtin_clzl(bytes - 1) - 6;
}

static void *pop(unsigned class)
{
	uint64_t head = heads[class], at;

	while ((uint32_t)head) {
		char *first = arena + ((uint64_t)(uint32_t)head - 1) * UNIT;
		uint64_t next = *(volatile uint32_t *)first | ((head >> 32) + 1) << 32;

		if (atomic_compare_exchange_weak(&heads[class], &head, next))
			return first;
	}
	at = atomic_fetch_add(&used, (uint64_t)UNIT << class);
	return at + ((uint64_t)UNIT << class) <= ARENA ? arena + at : NULL;
}

static void push(void *block, unsigned class)
{
	uint32_t index = (uint32_t)(((char *)block - arena) / UNIT) + 1;
	uint64_t head = heads[class];

	do {
		*(volatile uint32_t *)block = (uint32_t)head;
	} while (!atomic_compare_exchange_weak(&heads[class], &head, index | ((head >> 32) + 1) << 32));
}

static size_t span(size_t size, size_t alignment)
{
	return size + sizeof(struct header) + alignment;
}

static char *take(size_t bytes)
{
	if (from_libc < 0)
		choose();
	if (from_libc)
		return __libc_malloc(bytes);
	return class_of(bytes) > TOP_CLASS ? NULL : pop(class_of(bytes));
}

/* The block alone, not counted. */
static void *carve(size_t size, size_t alignment)
{
	struct header *header;
	char *base;
	uintptr_t at;

	if (alignment < 16)
		alignment = 16;
	if (size > PTRDIFF_MAX / 2 || alignment > 1 << 20 || !(base = take(span(size, alignment)))) {
		errno = ENOMEM;
		return NULL;
	}
	at = ((uintptr_t)base + sizeof(*header) + alignment - 1) & ~(alignment - 1);
	header = (struct header *)at - 1;
	*header = (struct header){ base, size, generation << 1, MARK ^ span(size, alignment) };
	return (void *)at;
}

static struct header *header_of(void *block)
{
	return (struct header *)block - 1;
}

static void scrap(void *block)
{
	struct header *header = header_of(block);
	size_t bytes = header->mark ^ MARK;

	header->mark = 0;
	if (from_libc)
		__libc_free(header->base);
	else if (class_of(bytes) <= TOP_CLASS)
		push(header->base, class_of(bytes));
	else
		abort();	/* not ours, or freed before */
}

static void lives(struct header *header, int sign)
{
	if (header->birth >> 1 == generation)
		shadow_lives(sign, sign * (int64_t)header->size);
	else
		shadow()->foreign++;
}

void *heap_take(enum op op, size_t size, size_t alignment)
{
	void *block = carve(size, alignment);

	if (block) {
		header_of(block)->birth |= shadow_silenced();
		lives(header_of(block), 1);
		shadow_begins(op, size);
	}
	return block;
}

void heap_give(enum op op, void *block)
{
	if (!block)
		return;
	lives(header_of(block), -1);
	shadow_ends(op, header_of(block)->size, header_of(block)->birth & 1);
	scrap(block);
}

size_t heap_size(void *block)
{
	return block ? header_of(block)->size : 0;
}

/* A block that moves always: the harder case. */
void *heap_resize(enum op op, void *block, size_t size)
{
	size_t old = heap_size(block);
	void *now = size || !block ? carve(size, 16) : NULL;

	if (!now && (size || !block))
		return NULL;
	if (now)
		memcpy(now, block ? block : now, old < size ? old : size);
	if (block)
		lives(header_of(block), -1);
	if (now)
		lives(header_of(now), 1);
	shadow_moves(OP_REALLOC_FREE, op, block ? old : SIZE_MAX, now ? size : SIZE_MAX);
	if (block)
		scrap(block);
	return now;
}

/* What lives now belongs to the parent. */
void heap_forked(void)
{
	generation++;
}
