/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What came or went since an order was made is merged into it, in steps: all that changed leaves its
 * place, and what is in now gets its own.  Rows show the old order until the new one is whole. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"

#define COPY_COST	16u	/* ids copied for the price of one looked at */

void merge_start(struct selection *s)
{
	struct sorter *sorter = &s->sorter;

	sorter->touched = s->missed;
	s->missed = (struct id_list){ 0 };
	sorter->at = 0;
	sorter->leaving = false;
	sorter->phase = SORTER_TOUCHES;
	if (!radix_start(s, &sorter->radix, sorter->touched.count)) {
		/* Without memory the order stays as it is. */
		vector_release(&sorter->touched);
		sorter->phase = SORTER_RESTS;
	}
}

/* A new order of the same kind, to which what stays and what comes are copied. */
static bool begin(struct selection *s)
{
	struct sorter *sorter = &s->sorter;
	struct order *o = &sorter->made;

	*o = (struct order){ .column = s->order.column, .shift = s->order.shift };
	o->starts = xcalloc(ORDER_BUCKETS + 1, sizeof(*o->starts));
	vector_resize(&o->ranks, s->order.ranks.count);
	if (o->ranks.count)
		memcpy(o->ranks.items, s->order.ranks.items, o->ranks.count * sizeof(*o->ranks.items));
	sorter->at = sorter->row = sorter->entry = 0;
	sorter->bucket = 0;
	sorter->phase = SORTER_MERGES;
	return order_reserve_ids(s, o, s->order.count + sorter->radix.count);
}

static size_t step_touches(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;

	for (; max && sorter->at < sorter->touched.count; sorter->at++, max--) {
		uint32_t id = sorter->touched.items[sorter->at];
		uint8_t *mark = mark_at(s, id);

		if (*mark & MARK_SORTED)
			continue;
		*mark |= MARK_SORTED;
		sorter->leaving |= id < s->order.end;
		if (id >= sorter->end)
			sorter->end = (size_t)id + 1;
		if (*mark & MARK_IN)
			radix_add(&sorter->radix, order_key(s, &s->order, id), id);
	}
	if (sorter->at == sorter->touched.count)
		sorter->phase = SORTER_RANKS;
	return max;
}

static size_t step_ranks(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;
	bool done;

	max = radix_step(&sorter->radix, max, &done);
	if (done && !begin(s)) {
		order_release_ids(s, &sorter->made);
		sorter->at = 0;
		sorter->phase = SORTER_TIDIES;
	}
	return max;
}

/* Old ids from at up to end: those that stay. */
static size_t copy(struct selection *s, size_t end, size_t max)
{
	struct sorter *sorter = &s->sorter;
	struct order *to = &sorter->made;
	const struct order *from = &s->order;

	for (; max && sorter->at < end && sorter->leaving; sorter->at++, max--) {
		uint32_t id = *order_at(from, sorter->at);

		while (from->starts[sorter->bucket + 1] <= sorter->at)
			sorter->bucket++;
		if (*mark_at(s, id) & MARK_SORTED)
			to->starts[sorter->bucket + 1]--;	/* a difference, for now */
		else
			*order_at(to, sorter->row++) = id;
	}
	while (max && sorter->at < end) {
		size_t count = end - sorter->at, in_from = ORDER_CHUNK - sorter->at % ORDER_CHUNK;
		size_t in_to = ORDER_CHUNK - sorter->row % ORDER_CHUNK;

		count = count < in_from ? count : in_from;
		count = count < in_to ? count : in_to;
		count = count < max * COPY_COST ? count : max * COPY_COST;
		memcpy(order_at(to, sorter->row), order_at(from, sorter->at), count * sizeof(uint32_t));
		sorter->at += count;
		sorter->row += count;
		max -= (count + COPY_COST - 1) / COPY_COST;
	}
	return max;
}

/* From differences to starts. */
static void starts_make(const struct order *from, struct order *to)
{
	for (size_t b = 0; b < ORDER_BUCKETS; b++)
		to->starts[b + 1] += to->starts[b] + (from->starts[b + 1] - from->starts[b]);
}

static size_t step_merges(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;
	const struct radix *radix = &sorter->radix;

	while (max) {
		const struct sort_entry *entry = NULL;
		size_t until = s->order.count;

		if (sorter->entry < radix->count) {
			entry = &radix->items[sorter->entry];
			until = order_place(s, &s->order, entry->key, entry->id);
		}
		max = copy(s, until, max);
		if (sorter->at < until)
			break;
		if (!entry) {
			starts_make(&s->order, &sorter->made);
			sorter->made.count = sorter->row;
			sorter->made.end = sorter->end > s->order.end ? sorter->end : s->order.end;
			order_release_ids(s, &s->order);
			s->order = sorter->made;
			sorter->made = (struct order){ 0 };
			sorter->at = 0;
			sorter->phase = SORTER_TIDIES;
			s->generation++;
			break;
		}
		sorter->made.starts[order_bucket(&s->order, entry->key) + 1]++;
		*order_at(&sorter->made, sorter->row++) = entry->id;
		sorter->entry++;
		max -= max > 0;
	}
	return max;
}

static size_t step_tidies(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;

	for (; max && sorter->at < sorter->touched.count; sorter->at++, max--)
		*mark_at(s, sorter->touched.items[sorter->at]) &= (uint8_t)~MARK_SORTED;
	if (sorter->at < sorter->touched.count)
		return max;
	vector_release(&sorter->touched);
	radix_stop(s, &sorter->radix);
	sorter->end = 0;
	sorter->phase = SORTER_RESTS;
	return max;
}

size_t merge_step(struct selection *s, size_t max)
{
	switch (s->sorter.phase) {
	case SORTER_TOUCHES: return step_touches(s, max);
	case SORTER_RANKS: return step_ranks(s, max);
	case SORTER_MERGES: return step_merges(s, max);
	default: return step_tidies(s, max);
	}
}
