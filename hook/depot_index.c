/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting pages of the depot's index. */
#include "hook/depot_index.h"

#include <stdbool.h>

#include "hook/raw.h"

#define FULL		(CHANNEL_INDEX_SLOTS / 8 * 7)	/* entries at which a page is split */
#define VERY_FULL	(CHANNEL_INDEX_SLOTS / 16 * 15)	/* at which a split of another page is waited for */
#define LOOKS		512u	/* at a page that is being copied, at the lock: some ten microseconds */
#define LOCK_SHIFT	20	/* of ticks: some hundred microseconds */
#define LOCK_STALE	4096	/* of those: a second */

/* The head of a page. */
#define HEAD(depth, entries)	((uint64_t)(depth) << 32 | (entries))
#define HEAD_OLD		(1ull << 63)	/* it is being copied, or was */
#define HEAD_DEPTH(head)	((uint32_t)((head) >> 32) & (CHANNEL_INDEX_DEPTHS - 1))
#define HEAD_ENTRIES(head)	((uint32_t)(head))

static _Atomic uint64_t *page_at(const struct depot_index *x, uint32_t number)
{
	return x->pages + (size_t)number * CHANNEL_INDEX_SLOTS;
}

/* Puts an entry where a search finds it.  False: there is no free slot. */
static bool put(_Atomic uint64_t *page, uint64_t entry)
{
	uint32_t slot = depot_index_first((uint32_t)(entry >> 32));

	for (uint32_t i = 1; i < CHANNEL_INDEX_SLOTS; i++, slot = depot_index_next(slot)) {
		uint64_t old = 0;

		if (atomic_compare_exchange_strong(&page[slot], &old, entry) || old == entry)
			return true;
	}
	return false;
}

/* The page that was retired longest ago, empty; 0: none is old enough. */
static uint32_t retired_page(const struct depot_index *x)
{
	struct channel_region *r = x->region;
	uint32_t first = r->index_retired_first, number;

	if (r->index_retired_next - first <= CHANNEL_INDEX_RETIRED / 2)
		return 0;
	number = r->index_retired[first % CHANNEL_INDEX_RETIRED];
	r->index_retired_first = first + 1;
	if (number >= x->pages_max)
		return 0;
	for (uint32_t i = 1; i < CHANNEL_INDEX_SLOTS; i++)
		atomic_store_explicit(&page_at(x, number)[i], 0, memory_order_relaxed);
	return number;
}

static void retire(const struct depot_index *x, const _Atomic uint64_t *page)
{
	struct channel_region *r = x->region;
	uint32_t number = (uint32_t)((size_t)(page - x->pages) / CHANNEL_INDEX_SLOTS);

	if (!number || r->index_retired_next - r->index_retired_first >= CHANNEL_INDEX_RETIRED)
		return;
	r->index_retired[r->index_retired_next % CHANNEL_INDEX_RETIRED] = (uint16_t)number;
	r->index_retired_next++;
}

/* 0: there is none. */
static uint32_t take_page(const struct depot_index *x)
{
	uint32_t number = retired_page(x), used = atomic_load(&x->region->index_pages);

	if (number || used + 1 >= x->pages_max)
		return number;
	number = atomic_fetch_add(&x->region->index_pages, 1) + 1;
	return number < x->pages_max ? number : 0;
}

/* Twice as many entries, each page in two places. */
static void double_directory(const struct depot_index *x, uint32_t depth)
{
	for (uint32_t i = 0; i < 1u << depth; i++) {
		uint16_t page = atomic_load(&x->directory[(1u << depth) + i]);

		atomic_store(&x->directory[(2u << depth) + 2 * i], page);
		atomic_store(&x->directory[(2u << depth) + 2 * i + 1], page);
	}
	atomic_store(&x->region->index_depth, depth + 1);
}

/* The directory's entries for a page of this depth: half of them to each of the two. */
static void point_to(const struct depot_index *x, uint32_t tag, uint32_t depth, const uint32_t numbers[2])
{
	uint32_t whole = atomic_load(&x->region->index_depth) & (CHANNEL_INDEX_DEPTHS - 1);
	uint32_t half = whole > depth ? 1u << (whole - depth - 1) : 0;
	uint32_t first = (1u << whole) + (uint32_t)((uint64_t)tag << depth >> 32) * 2 * half;

	for (uint32_t i = 0; i < 2 * half; i++)
		atomic_store(&x->directory[first + i], (uint16_t)numbers[i >= half]);
}

/* Puts the entries of a page of this depth into one of the two. */
static void copy(const _Atomic uint64_t *page, uint32_t depth, _Atomic uint64_t *to[2])
{
	uint32_t entries[2] = { 0, 0 };

	for (uint32_t i = 1; i < CHANNEL_INDEX_SLOTS; i++) {
		uint64_t entry = atomic_load(&page[i]);
		unsigned which = entry >> (63 - depth) & 1;

		if (entry && put(to[which], entry))
			entries[which]++;
	}
	for (unsigned i = 0; i < 2; i++)
		atomic_store(&to[i][0], HEAD(depth + 1, entries[i]));
}

static void split(const struct depot_index *x, _Atomic uint64_t *page, uint32_t tag, uint32_t depth)
{
	uint32_t numbers[2] = { 0, 0 };

	if (depth + 1 < CHANNEL_INDEX_DEPTHS) {
		numbers[0] = take_page(x);
		numbers[1] = take_page(x);
	}
	if (!numbers[0] || !numbers[1])
		return;
	atomic_fetch_or(&page[0], HEAD_OLD);
	copy(page, depth, (_Atomic uint64_t *[]){ page_at(x, numbers[0]), page_at(x, numbers[1]) });
	if (depth == atomic_load(&x->region->index_depth))
		double_directory(x, depth);
	point_to(x, tag, depth, numbers);
	retire(x, page);
}

/* The lock's word is the time when it was taken; one that a longjmp left behind is taken away. */
static bool try_lock(const struct depot_index *x)
{
	uint32_t now = (uint32_t)(raw_ticks() >> LOCK_SHIFT) | 1, held = atomic_load(&x->region->index_lock);

	if (held && (int32_t)(now - held) < LOCK_STALE)
		return false;
	return atomic_compare_exchange_strong(&x->region->index_lock, &held, now);
}

static bool lock(const struct depot_index *x, bool urgent)
{
	for (uint32_t i = 0; !try_lock(x); i++) {
		if (!urgent || i == LOOKS)
			return false;
		raw_pause();
	}
	return true;
}

/* Splits the page of a tag if it is as full as that. */
static void make_room(const struct depot_index *x, uint32_t tag, bool urgent)
{
	_Atomic uint64_t *page;
	uint64_t head;

	if (!lock(x, urgent))
		return;
	page = depot_index_page(x, tag);	/* another thread may have split it since */
	head = atomic_load(&page[0]);
	if (HEAD_ENTRIES(head) >= FULL)
		split(x, page, tag, HEAD_DEPTH(head));
	atomic_store(&x->region->index_lock, 0);
}

_Atomic uint64_t *depot_index_settled(const struct depot_index *x, uint32_t tag)
{
	_Atomic uint64_t *page = depot_index_page(x, tag);
	uint32_t entries = HEAD_ENTRIES(atomic_load(&page[0]));

	if (unlikely(entries >= FULL)) {
		make_room(x, tag, entries >= VERY_FULL);
		page = depot_index_page(x, tag);
	}
	for (uint32_t i = 0; i < LOOKS && unlikely(atomic_load(&page[0]) & HEAD_OLD); i++) {
		raw_pause();
		page = depot_index_page(x, tag);
	}
	return page;
}

void depot_index_added(const struct depot_index *x, _Atomic uint64_t *page, uint64_t entry)
{
	uint32_t tag = (uint32_t)(entry >> 32);
	uint64_t head = atomic_fetch_add(&page[0], 1);

	/* The copy may not have it. */
	if (unlikely(head & HEAD_OLD) || unlikely(depot_index_page(x, tag) != page))
		put(depot_index_settled(x, tag), entry);
}
