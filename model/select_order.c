/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orders other than by time, as lists of ids in buckets.
 *
 * Ids alone take a quarter of what ids with keys would.  The buckets make up for it: of most, the
 * number tells the key, so that a place is found without looking at records all over the heap. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"
#include "model/threads.h"

#define SIZES_EXACT	(1u << SIZE_BITS)	/* smaller ones have a bucket each */
#define SIZE_BITS	15u
#define STEP_BITS	9u			/* larger ones: 512 buckets from one power of two to the next */

void order_release_ids(struct selection *s, struct order *o)
{
	for (size_t i = 0; i < o->chunks.count; i++)
		spill_put(s->heap->spill, o->chunks.items[i]);
	vector_release(&o->chunks);
	vector_release(&o->ranks);
	free(o->starts);
	*o = (struct order){ 0 };
}

/* false: there is no memory. */
bool order_reserve_ids(struct selection *s, struct order *o, size_t count)
{
	while (o->chunks.count * ORDER_CHUNK < count) {
		uint32_t *chunk = spill_get(s->heap->spill, ORDER_CHUNK * sizeof(*chunk));

		if (!chunk)
			return false;
		vector_push(&o->chunks, chunk);
	}
	return true;
}

static void ranks_make(struct selection *s, struct order *o)
{
	size_t count = s->heap->threads.count;
	uint32_t *sorted = xreallocarray(NULL, count ? count : 1, sizeof(*sorted));

	thread_sort(s->heap, THREAD_BY_NAME, false, sorted);
	vector_resize(&o->ranks, count);
	for (uint32_t i = 0; i < count; i++)
		o->ranks.items[sorted[i]] = i;
	free(sorted);
	while (count >> o->shift >= ORDER_BUCKETS)
		o->shift++;
}

/* An empty one. */
void order_begin(struct selection *s, struct order *o, enum select_column column)
{
	*o = (struct order){ .column = column };
	o->starts = xcalloc(ORDER_BUCKETS + 1, sizeof(*o->starts));
	if (column == SELECT_BY_THREAD)
		ranks_make(s, o);
}

uint64_t order_key(const struct selection *s, const struct order *o, uint32_t id)
{
	const struct record *r = record_at(s->heap, id);

	if (o->column == SELECT_BY_SIZE)
		return ~record_size(r);
	return r->thread < o->ranks.count ? o->ranks.items[r->thread] : r->thread;
}

static uint32_t size_rank(uint64_t size)
{
	unsigned power;

	if (size < SIZES_EXACT)
		return (uint32_t)size;
	power = 63u - (unsigned)__builtin_clzll(size);
	return SIZES_EXACT + ((power - SIZE_BITS) << STEP_BITS) +
	       ((uint32_t)(size >> (power - STEP_BITS)) & ((1u << STEP_BITS) - 1));
}

uint32_t order_bucket(const struct order *o, uint64_t key)
{
	uint64_t bucket = key >> o->shift;

	if (o->column == SELECT_BY_SIZE)
		return ORDER_BUCKETS - 1 - size_rank(~key);
	return bucket < ORDER_BUCKETS - 1 ? (uint32_t)bucket : ORDER_BUCKETS - 1;
}

bool order_is_exact(const struct order *o, uint32_t bucket)
{
	if (o->column == SELECT_BY_SIZE)
		return bucket > ORDER_BUCKETS - 1 - SIZES_EXACT;
	return !o->shift && bucket < ORDER_BUCKETS - 1;
}

static bool stands_before(const struct selection *s, const struct order *o, bool exact, uint32_t other,
	uint64_t key, uint32_t id)
{
	uint64_t others = exact ? key : order_key(s, o, other);

	return others < key || (others == key && other < id);
}

size_t order_place(const struct selection *s, const struct order *o, uint64_t key, uint32_t id)
{
	uint32_t bucket = order_bucket(o, key);
	size_t low = o->starts[bucket], high = o->starts[bucket + 1];
	bool exact = order_is_exact(o, bucket);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stands_before(s, o, exact, *order_at(o, middle), key, id))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
