/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An allocator of its own, with its own count of calls. */
#include <stddef.h>

long library_allocations, library_frees;

static char pool[1 << 20];
static size_t used;

__attribute__((noinline)) void *malloc(size_t size)
{
	char *p = pool + used;

	library_allocations++;
	used = (used + size + 15) % (sizeof(pool) / 2) & ~(size_t)15;
	return p;
}

__attribute__((noinline)) void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

/* Nobody calls them: the more functions there are the more is patched. */
void *valloc(size_t size) { return malloc(size); }
void *pvalloc(size_t size) { return malloc(size); }
void *memalign(size_t alignment, size_t size) { return malloc(size + alignment); }
void *aligned_alloc(size_t alignment, size_t size) { return malloc(size + alignment + 1); }
void *realloc(void *block, size_t size) { return block ? NULL : malloc(size); }

__attribute__((noinline)) void free(void *block)
{
	library_frees += block != NULL;
}

/* Before anybody outside can know of the library. */
__attribute__((constructor)) static void begin(void)
{
	free(malloc(7777));
}
