/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the hash of a path to the slots where its node's id may be: extendible hashing, so that only pages
 * are touched that are used.
 *
 *   tag (32 bits)   | directory, `depth` bits |  ...  | slot in the page, 9 bits |
 *   directory       depth 0, 1, 2 ... one behind the other; an entry is a page's number
 *   page            | head: depth of its own, entries | 511 slots: tag << 32 | node id, 0: free |
 *
 * A page that fills up is copied into two, by the next bit of its tags.  The old one stays as it is while the
 * next few are split, for those who are looking at it, and is then used again.  (A first touch of a page
 * costs as much as a hundred events, and a table that is copied as a whole into a larger one touches three times
 * as many.)
 *
 * Only one thread splits, nobody waits for it longer than a moment, and what is there is always found.  A frame that
 * is put into a page while it is copied may get a second node, which readers merge; so may what a longjmp
 * out of a split leaves behind. */
#ifndef HOOK_DEPOT_INDEX_H
#define HOOK_DEPOT_INDEX_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/channel.h"

struct depot_index {
	struct channel_region *region;
	_Atomic uint16_t *directory;
	_Atomic uint64_t *pages;
	uint32_t pages_max;
};

static inline _Atomic uint64_t *depot_index_page(const struct depot_index *x, uint32_t tag)
{
	uint32_t depth = atomic_load_explicit(&x->region->index_depth, memory_order_acquire) &
			 (CHANNEL_INDEX_DEPTHS - 1);
	uint32_t entry = (1u << depth) + (uint32_t)((uint64_t)tag << depth >> 32);
	uint32_t number = atomic_load_explicit(&x->directory[entry], memory_order_acquire);

	/* The program may have written anything there. */
	return x->pages + (size_t)(number < x->pages_max ? number : 0) * CHANNEL_INDEX_SLOTS;
}

/* The first slot to look at; slot 0 is the head. */
static inline uint32_t depot_index_first(uint32_t tag)
{
	uint32_t slot = tag & (CHANNEL_INDEX_SLOTS - 1);

	return slot ? slot : 1;
}

static inline uint32_t depot_index_next(uint32_t slot)
{
	return slot + 1 < CHANNEL_INDEX_SLOTS ? slot + 1 : 1;
}

/* The page of a tag for who wants to add to it: split if it is full; while it is copied, waits a moment for the
 * end of that. */
_Atomic uint64_t *depot_index_settled(const struct depot_index *x, uint32_t tag);

/* An entry was put into the page. */
void depot_index_added(const struct depot_index *x, _Atomic uint64_t *page, uint64_t entry);

#endif
