/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The live blocks of a heap: an open-addressing table by address.
 *
 * This is the hottest memory of a reader: 32 bytes a slot, aligned, so that a look-up costs one
 * cache line, which live_prefetch() can ask for early.  Linear probing, at most 5/8 full,
 * removal shifts back.  When it grows, the blocks move to the new slots a few at a time, so that
 * nobody waits for all of them; until then they are found in the old ones.  The memory of the new
 * slots is touched for the first time before that, a few bytes for each block. */
#ifndef MODEL_LIVE_H
#define MODEL_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_block {
	uint64_t ptr;		/* 0: empty slot */
	uint64_t size;
	uint32_t site, thread;
	uint32_t record;	/* block_record_id(); without records, low bits of block_born() */
	uint32_t op : 8, born_high : 24;
};

struct live_table {
	struct live_block *slots;
	void *memory;		/* that slots lie in */
	size_t mask;		/* slots - 1 */
	size_t count;
	unsigned shift;		/* 64 - log2(slots) */
	struct live_block *old;	/* slots that blocks move from, or NULL */
	void *old_memory;
	size_t old_mask;
	unsigned old_shift;
	size_t moved, left;	/* the old slot that is next, and how many there are from it on */
	struct live_block *next;	/* twice the slots, for when these are too few, or NULL */
	void *next_memory;
	size_t touched;		/* bytes of next */
};

void live_init(struct live_table *t);
void live_release(struct live_table *t);

/* Forgets all blocks; shrinks to the first size. */
void live_clear(struct live_table *t);

/* The block at ptr, made (all zero but ptr) if there was none: *found says which.  Valid until
 * the table changes.  ptr must not be 0. */
struct live_block *live_place(struct live_table *t, uint64_t ptr, bool *found);
void live_remove(struct live_table *t, struct live_block *block);

/* A walk over all blocks, which can be left at any place as long as the table does not change:
 * *at is 0 at first, and behind the block that is returned.  At most *slots are looked at, which
 * are taken off.  NULL: that were so many, or live_walked(). */
const struct live_block *live_walk(const struct live_table *t, size_t *at, size_t *slots);

static inline bool live_walked(const struct live_table *t, size_t at)
{
	return at == t->mask + 1 + (t->old ? t->old_mask + 1 : 0);
}

static inline uint64_t live_hash(uint64_t ptr)
{
	return ptr * 0x9e3779b97f4a7c15ull;
}

static inline size_t live_home(const struct live_table *t, uint64_t ptr)
{
	return live_hash(ptr) >> t->shift;
}

/* The same while blocks move, of those that have not. */
static inline struct live_block *live_find_old(const struct live_table *t, uint64_t ptr)
{
	size_t i = live_hash(ptr) >> t->old_shift;

	for (; t->old[i].ptr; i = (i + 1) & t->old_mask)
		if (t->old[i].ptr == ptr)
			return &t->old[i];
	return NULL;
}

static inline void live_prefetch(const struct live_table *t, uint64_t ptr)
{
	__builtin_prefetch(&t->slots[live_home(t, ptr)], 1);
}

/* NULL when there is none. */
static inline struct live_block *live_find(const struct live_table *t, uint64_t ptr)
{
	size_t i = live_home(t, ptr);

	for (; t->slots[i].ptr; i = (i + 1) & t->mask)
		if (t->slots[i].ptr == ptr)
			return &t->slots[i];
	return t->old ? live_find_old(t, ptr) : NULL;
}

#endif
