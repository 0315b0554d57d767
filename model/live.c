/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of live blocks. */
#include "model/live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

#define FIRST_BITS	10u
#define HUGE_PAGE	((size_t)2 << 20)
#define CACHE_LINE	64u

/* Look-ups go all over a large table: huge pages, where the kernel has some, spare most of the
 * cost of finding its pages.  Slots are aligned so that none lies across two cache lines. */
static void slots_new(struct live_table *t, size_t count)
{
	size_t size = count * sizeof(struct live_block);
	uintptr_t align = size >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;

	t->memory = xmalloc(size + align);
	t->slots = (void *)(((uintptr_t)t->memory + align - 1) & ~(align - 1));
	t->mask = count - 1;
	if (size >= HUGE_PAGE)
		madvise(t->slots, size, MADV_HUGEPAGE);
	memset(t->slots, 0, size);
}

void live_init(struct live_table *t)
{
	slots_new(t, (size_t)1 << FIRST_BITS);
	t->shift = 64 - FIRST_BITS;
	t->count = 0;
}

void live_release(struct live_table *t)
{
	free(t->memory);
	t->memory = NULL;
	t->slots = NULL;
}

void live_clear(struct live_table *t)
{
	live_release(t);
	live_init(t);
}

static void grow(struct live_table *t)
{
	struct live_block *old = t->slots;
	void *old_memory = t->memory;
	size_t slots = t->mask + 1;

	slots_new(t, slots * 2);
	t->shift--;
	for (size_t i = 0; i < slots; i++) {
		size_t at;

		if (!old[i].ptr)
			continue;
		at = live_home(t, old[i].ptr);
		while (t->slots[at].ptr)
			at = (at + 1) & t->mask;
		t->slots[at] = old[i];
	}
	free(old_memory);
}

struct live_block *live_place(struct live_table *t, uint64_t ptr, bool *found)
{
	size_t i;

	if (t->count * 8 >= (t->mask + 1) * 5)
		grow(t);
	for (i = live_home(t, ptr); t->slots[i].ptr; i = (i + 1) & t->mask)
		if (t->slots[i].ptr == ptr) {
			*found = true;
			return &t->slots[i];
		}
	t->slots[i].ptr = ptr;
	t->count++;
	*found = false;
	return &t->slots[i];
}

/* Knuth's algorithm R: move back what would no longer be found past the hole. */
void live_remove(struct live_table *t, struct live_block *block)
{
	size_t hole = (size_t)(block - t->slots);
	size_t i = hole;

	for (;;) {
		size_t home;

		i = (i + 1) & t->mask;
		if (!t->slots[i].ptr)
			break;
		home = live_home(t, t->slots[i].ptr);
		if (((i - home) & t->mask) >= ((i - hole) & t->mask)) {
			t->slots[hole] = t->slots[i];
			hole = i;
		}
	}
	memset(&t->slots[hole], 0, sizeof(t->slots[hole]));
	t->count--;
}
