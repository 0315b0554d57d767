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
#define PAGE		4096u
#define MOVED_AT_ONCE	8u	/* slots; all are before the new table is full, too */
#define TOUCHED_AT_ONCE	(2 * 16 * (unsigned)sizeof(struct live_block))	/* bytes; from 9/16 on all are, too */

/* Look-ups go all over a large table: huge pages, where the kernel has some, spare most of the
 * cost of finding its pages.  They come zeroed, and are not touched before they are needed.  Slots
 * are aligned so that none lies across two cache lines. */
static struct live_block *slots_new(size_t count, void **memory)
{
	size_t size = count * sizeof(struct live_block);
	uintptr_t align = size >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
	struct live_block *slots;

	*memory = xcalloc(1, size + align);
	slots = (void *)(((uintptr_t)*memory + align - 1) & ~(align - 1));
	if (size >= HUGE_PAGE)
		madvise(slots, size, MADV_HUGEPAGE);
	return slots;
}

void live_init(struct live_table *t)
{
	*t = (struct live_table){ .mask = ((size_t)1 << FIRST_BITS) - 1, .shift = 64 - FIRST_BITS };
	t->slots = slots_new(t->mask + 1, &t->memory);
}

static void drop_next(struct live_table *t)
{
	free(t->next_memory);
	t->next = t->next_memory = NULL;
}

void live_release(struct live_table *t)
{
	free(t->memory);
	free(t->old_memory);
	drop_next(t);
	t->memory = t->old_memory = NULL;
	t->slots = t->old = NULL;
}

void live_clear(struct live_table *t)
{
	live_release(t);
	live_init(t);
}

static void insert(struct live_table *t, const struct live_block *block)
{
	size_t at = live_home(t, block->ptr);

	while (t->slots[at].ptr)
		at = (at + 1) & t->mask;
	t->slots[at] = *block;
}

/* Blocks of the old table go to the new one, so many slots at least, and up to an empty one: what
 * is left there is found as ever. */
static void move(struct live_table *t, size_t slots)
{
	while (t->left) {
		struct live_block *block = &t->old[t->moved++ & t->old_mask];

		t->left--;
		if (!block->ptr && !slots)
			return;
		if (block->ptr)
			insert(t, block);
		block->ptr = 0;
		slots -= slots > 0;
	}
	free(t->old_memory);
	t->old = t->old_memory = NULL;
}

/* The first touch of a large table takes long, of 5 million blocks' about a second.  Each new block
 * pays for a part of it, so that all is touched when the table grows. */
static void touch_next(struct live_table *t)
{
	if (!t->next) {
		t->next = slots_new(2 * (t->mask + 1), &t->next_memory);
		t->touched = 0;
	}
	if (t->touched >= 2 * (t->mask + 1) * sizeof(*t->next))
		return;
	if (t->touched % PAGE == 0)
		((volatile char *)t->next)[t->touched] = 0;
	t->touched += TOUCHED_AT_ONCE;
}

/* It is filled as blocks come. */
static void grow(struct live_table *t)
{
	if (t->old)
		move(t, SIZE_MAX);
	t->old = t->slots;
	t->old_memory = t->memory;
	t->old_mask = t->mask;
	t->old_shift = t->shift;
	t->left = t->mask + 1;
	for (t->moved = 0; t->old[t->moved].ptr; t->moved++)
		;
	t->slots = t->next;
	t->memory = t->next_memory;
	t->next = t->next_memory = NULL;
	t->mask = t->left * 2 - 1;
	t->shift--;
}

struct live_block *live_place(struct live_table *t, uint64_t ptr, bool *found)
{
	struct live_block *block;
	size_t i;

	if (t->count * 16 >= (t->mask + 1) * 9)
		touch_next(t);
	if (t->count * 8 >= (t->mask + 1) * 5)
		grow(t);
	if (t->old)
		move(t, MOVED_AT_ONCE);
	for (i = live_home(t, ptr); t->slots[i].ptr; i = (i + 1) & t->mask)
		if (t->slots[i].ptr == ptr) {
			*found = true;
			return &t->slots[i];
		}
	block = t->old ? live_find_old(t, ptr) : NULL;
	*found = block;
	if (block)
		return block;
	t->slots[i].ptr = ptr;
	t->count++;
	return &t->slots[i];
}

/* Knuth's algorithm R: move back what would no longer be found past the hole. */
static void take_out(struct live_block *slots, size_t mask, unsigned shift, size_t hole)
{
	size_t i = hole;

	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!slots[i].ptr)
			break;
		home = live_hash(slots[i].ptr) >> shift;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	memset(&slots[hole], 0, sizeof(slots[hole]));
}

void live_remove(struct live_table *t, struct live_block *block)
{
	if (t->old && block >= t->old && block <= t->old + t->old_mask)
		take_out(t->old, t->old_mask, t->old_shift, (size_t)(block - t->old));
	else
		take_out(t->slots, t->mask, t->shift, (size_t)(block - t->slots));
	t->count--;
	if (t->next && t->count * 2 < t->mask)
		drop_next(t);
}

const struct live_block *live_walk(const struct live_table *t, size_t *at, size_t *slots)
{
	size_t old = t->old ? t->old_mask + 1 : 0;

	while (*slots && !live_walked(t, *at)) {
		const struct live_block *block = *at < old ? &t->old[*at] : &t->slots[*at - old];

		++*at;
		--*slots;
		if (block->ptr)
			return block;
	}
	return NULL;
}
