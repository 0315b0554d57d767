/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A new order, made in steps: records are counted by bucket, put into their buckets in the order of
 * time, and sorted within those buckets that hold several keys. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"

static void rows_release(struct selection *s)
{
	struct sorter *sorter = &s->sorter;

	for (size_t i = 0; i < sorter->buckets.count; i++)
		spill_put(s->heap->spill, sorter->buckets.items[i]);
	vector_release(&sorter->buckets);
}

static uint16_t *bucket_at(const struct sorter *sorter, size_t row)
{
	return &sorter->buckets.items[row / ORDER_CHUNK][row % ORDER_CHUNK];
}

/* Records that were to be in the order have a mark of it. */
static void unmark_all(struct selection *s)
{
	for (size_t i = 0; i < s->sorter.end; i++)
		*mark_at(s, (uint32_t)i) &= (uint8_t)~MARK_SORTED;
}

/* Gives up what is under way; nothing is forgotten by it. */
static void work_stop(struct selection *s)
{
	struct sorter *sorter = &s->sorter;

	if (sort_is_new(s))
		unmark_all(s);
	for (size_t i = 0; i < sorter->touched.count; i++) {
		*mark_at(s, sorter->touched.items[i]) &= (uint8_t)~MARK_SORTED;
		vector_push(&s->missed, sorter->touched.items[i]);
	}
	order_release_ids(s, &sorter->made);
	rows_release(s);
	radix_stop(s, &sorter->radix);
	vector_release(&sorter->touched);
	free(sorter->places);
	*sorter = (struct sorter){ 0 };
}

void sort_stop(struct selection *s)
{
	work_stop(s);
	order_release_ids(s, &s->order);
	vector_clear(&s->missed);
	s->order_valid = s->resorting = false;
}

/* The column has changed. Rows stand as they did, until the new order is there. */
void sort_restart(struct selection *s)
{
	work_stop(s);
	if (s->column != SELECT_BY_TIME)
		return;
	sort_stop(s);
}

bool sort_cancel(struct selection *s)
{
	if (!s->resorting)
		return false;
	work_stop(s);
	s->column = s->column_before;
	s->reverse = s->reverse_before;
	s->resorting = false;
	s->generation++;
	return true;
}

static void start(struct selection *s)
{
	struct sorter *sorter = &s->sorter;

	order_begin(s, &sorter->made, s->column);
	sorter->phase = SORTER_COUNTS;
	sorter->at = sorter->row = 0;
	sorter->end = sorter->made.end = s->cursor;
}

/* There is no memory: rows stand by time. */
static void fail(struct selection *s)
{
	s->column = SELECT_BY_TIME;
	sort_stop(s);
	s->generation++;
}

/* Sums of all buckets before each, from counts that stand one place further. */
static void starts_make(struct sorter *sorter)
{
	uint32_t *starts = sorter->made.starts;

	for (size_t b = 1; b <= ORDER_BUCKETS; b++)
		starts[b] += starts[b - 1];
	sorter->places = xmemdup(starts, ORDER_BUCKETS * sizeof(*starts));
}

static bool bucket_reserve(struct selection *s)
{
	struct sorter *sorter = &s->sorter;
	uint16_t *chunk;

	if (sorter->row / ORDER_CHUNK < sorter->buckets.count)
		return true;
	chunk = spill_get(s->heap->spill, ORDER_CHUNK * sizeof(*chunk));
	if (chunk)
		vector_push(&sorter->buckets, chunk);
	return chunk != NULL;
}

static size_t step_counts(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;

	for (; max && sorter->at < sorter->end; sorter->at++, max--) {
		uint8_t *mark = mark_at(s, (uint32_t)sorter->at);
		uint32_t bucket;

		if (!(*mark & MARK_IN))
			continue;
		if (!bucket_reserve(s)) {
			fail(s);
			return max;
		}
		bucket = order_bucket(&sorter->made, order_key(s, &sorter->made, (uint32_t)sorter->at));
		*mark |= MARK_SORTED;
		*bucket_at(sorter, sorter->row++) = (uint16_t)bucket;
		sorter->made.starts[bucket + 1]++;
	}
	if (sorter->at < sorter->end)
		return max;
	starts_make(sorter);
	sorter->made.count = sorter->row;
	sorter->at = sorter->row = 0;
	if (order_reserve_ids(s, &sorter->made, sorter->made.count))
		sorter->phase = SORTER_PLACES;
	else
		fail(s);
	return max;
}

static size_t step_places(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;

	for (; max && sorter->at < sorter->end; sorter->at++, max--) {
		uint8_t *mark = mark_at(s, (uint32_t)sorter->at);

		if (!(*mark & MARK_SORTED))
			continue;
		*mark &= (uint8_t)~MARK_SORTED;
		*order_at(&sorter->made, sorter->places[*bucket_at(sorter, sorter->row++)]++) = (uint32_t)sorter->at;
	}
	if (sorter->at == sorter->end) {
		sorter->phase = SORTER_REFINES;
		sorter->bucket = 0;
		sorter->at = sorter->row = 0;
		rows_release(s);
	}
	return max;
}

/* One bucket: its records are read, sorted and written. */
static size_t refine(struct selection *s, size_t max, bool *done)
{
	struct sorter *sorter = &s->sorter;
	struct order *o = &sorter->made;
	size_t from = o->starts[sorter->bucket], count = o->starts[sorter->bucket + 1] - from;

	*done = false;
	if (!sorter->at && !sorter->row && !radix_start(s, &sorter->radix, count)) {
		fail(s);
		return max;
	}
	for (; max && sorter->at < count; sorter->at++, max--) {
		uint32_t id = *order_at(o, from + sorter->at);

		radix_add(&sorter->radix, order_key(s, o, id), id);
	}
	if (sorter->at < count)
		return max;
	max = radix_step(&sorter->radix, max, done);
	if (!*done)
		return max;
	for (; max && sorter->row < count; sorter->row++, max--)
		*order_at(o, from + sorter->row) = sorter->radix.items[sorter->row].id;
	*done = sorter->row == count;
	return max;
}

static void finish(struct selection *s)
{
	struct sorter *sorter = &s->sorter;

	order_release_ids(s, &s->order);
	s->order = sorter->made;
	sorter->made = (struct order){ 0 };
	radix_stop(s, &sorter->radix);
	free(sorter->places);
	sorter->places = NULL;
	sorter->phase = SORTER_RESTS;
	s->order_valid = true;
	s->resorting = false;
	s->generation++;
}

static size_t step_refines(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;
	const uint32_t *starts = sorter->made.starts;
	bool done = true;

	while (max && sorter->bucket < ORDER_BUCKETS) {
		if (starts[sorter->bucket + 1] - starts[sorter->bucket] > 1 &&
		    !order_is_exact(&sorter->made, sorter->bucket)) {
			max = refine(s, max, &done);
			if (!done)
				return max;
		}
		sorter->bucket++;
		sorter->at = sorter->row = 0;
	}
	if (sorter->bucket == ORDER_BUCKETS)
		finish(s);
	return max;
}

static size_t step(struct selection *s, size_t max)
{
	switch (s->sorter.phase) {
	case SORTER_COUNTS: return step_counts(s, max);
	case SORTER_PLACES: return step_places(s, max);
	case SORTER_REFINES: return step_refines(s, max);
	default: return merge_step(s, max);
	}
}

/* Goes on.  Returns true when rows stand as they should. */
bool sort_step(struct selection *s, size_t max)
{
	if (s->column == SELECT_BY_TIME)
		return true;
	if (s->sorter.phase == SORTER_RESTS && (!s->order_valid || s->order.column != s->column))
		start(s);
	while (max && s->sorter.phase != SORTER_RESTS)
		max = step(s, max);
	if (max && s->missed.count && s->order_valid) {
		merge_start(s);
		while (max && s->sorter.phase != SORTER_RESTS)
			max = step(s, max);
	}
	return s->sorter.phase == SORTER_RESTS && !s->missed.count;
}

/* Of a new order; 0 to 1000. */
unsigned sort_progress(const struct selection *s)
{
	const struct sorter *sorter = &s->sorter;
	size_t end = sorter->end ? sorter->end : 1;

	switch (sorter->phase) {
	case SORTER_COUNTS: return (unsigned)(sorter->at * 500 / end);
	case SORTER_PLACES: return 500 + (unsigned)(sorter->at * 400 / end);
	case SORTER_REFINES: return 900 + sorter->bucket * 99 / ORDER_BUCKETS;
	default: return 0;
	}
}
