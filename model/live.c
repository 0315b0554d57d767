/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of live blocks. */
#include "model/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_BITS	10u

static struct live_block *slots_new(size_t count)
{
	void *slots = aligned_alloc(64, count * sizeof(struct live_block));

	if (!slots)
		return xcalloc(count, sizeof(struct live_block)); /* aborts with its message */
	return memset(slots, 0, count * sizeof(struct live_block));
}

void live_init(struct live_table *t)
{
	t->slots = slots_new((size_t)1 << FIRST_BITS);
	t->mask = ((size_t)1 << FIRST_BITS) - 1;
	t->shift = 64 - FIRST_BITS;
	t->count = 0;
}

void live_release(struct live_table *t)
{
	free(t->slots);
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
	size_t slots = t->mask + 1;

	t->slots = slots_new(slots * 2);
	t->mask = slots * 2 - 1;
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
	free(old);
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
