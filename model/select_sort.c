/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orders other than by time: a radix sort in slices for a new order, a merge for what changes. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"
#include "model/threads.h"

static uint64_t key_of(const struct selection *s, uint32_t id)
{
	const struct record *r = record_at(s->heap, id);

	if (s->column == SELECT_BY_SIZE)
		return ~record_size(r);
	return r->thread < s->ranks.count ? s->ranks.items[r->thread] : r->thread;
}

static void ranks_make(struct selection *s)
{
	size_t count = s->heap->threads.count;
	uint32_t *sorted = xreallocarray(NULL, count ? count : 1, sizeof(*sorted));

	thread_sort(s->heap, THREAD_BY_NAME, false, sorted);
	vector_resize(&s->ranks, count);
	for (uint32_t i = 0; i < count; i++)
		s->ranks.items[sorted[i]] = i;
	free(sorted);
}

static void sorter_release(struct sorter *sorter)
{
	free(sorter->items);
	free(sorter->other);
	free(sorter->ids);
	memset(sorter, 0, sizeof(*sorter));
}

/* Forget the order and make it anew, in steps. */
void order_restart(struct selection *s)
{
	sorter_release(&s->sorter);
	vector_clear(&s->order);
	vector_clear(&s->missed);
	s->order_valid = false;
	s->sorting = s->column != SELECT_BY_TIME;
	if (s->column == SELECT_BY_THREAD)
		ranks_make(s);
}

void order_free(struct selection *s)
{
	sorter_release(&s->sorter);
	vector_release(&s->order);
	vector_release(&s->merge);
	vector_release(&s->missed);
	vector_release(&s->ranks);
}

/* Give ids their keys.  They are copied first, as they may change until this is done. */
static size_t sorter_fill(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;
	size_t end;

	if (!sorter->items) {
		sorter->count = s->ids.count;
		sorter->items = xreallocarray(NULL, sorter->count + 1, sizeof(*sorter->items));
		sorter->other = xreallocarray(NULL, sorter->count + 1, sizeof(*sorter->other));
		sorter->ids = xreallocarray(NULL, sorter->count + 1, sizeof(*sorter->ids));
		sorter->all = UINT64_MAX;
		if (sorter->count)
			memcpy(sorter->ids, s->ids.items, sorter->count * sizeof(*sorter->ids));
	}
	end = sorter->count - sorter->filled < max ? sorter->count : sorter->filled + max;
	for (size_t i = sorter->filled; i < end; i++) {
		uint64_t key = key_of(s, sorter->ids[i]);

		sorter->items[i] = (struct sort_entry){ key, sorter->ids[i] };
		sorter->any |= key;
		sorter->all &= key;
	}
	max -= end - sorter->filled;
	sorter->filled = end;
	sorter->varying = sorter->any & ~sorter->all;
	return max;
}

static void places_make(struct sorter *sorter)
{
	size_t sum = 0;

	for (size_t i = 0; i < 256; i++) {
		size_t count = sorter->places[i];

		sorter->places[i] = sum;
		sum += count;
	}
}

/* One byte of the key: count, then scatter. */
static size_t sorter_pass(struct sorter *sorter, size_t max)
{
	size_t end = sorter->count - sorter->at < max ? sorter->count : sorter->at + max;
	unsigned shift = sorter->pass * 8;

	max -= end - sorter->at;
	for (; sorter->at < end; sorter->at++) {
		const struct sort_entry *entry = &sorter->items[sorter->at];
		size_t digit = entry->key >> shift & 0xff;

		if (sorter->scattering)
			sorter->other[sorter->places[digit]++] = *entry;
		else
			sorter->places[digit]++;
	}
	if (sorter->at < sorter->count)
		return max;
	sorter->at = 0;
	if (!sorter->scattering) {
		places_make(sorter);
	} else {
		struct sort_entry *swap = sorter->items;

		sorter->items = sorter->other;
		sorter->other = swap;
		memset(sorter->places, 0, sizeof(sorter->places));
		sorter->pass++;
	}
	sorter->scattering = !sorter->scattering;
	return max;
}

static int compare(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Go on sorting.  Returns true when the order is valid (or not wanted). */
bool order_step(struct selection *s, size_t max)
{
	struct sorter *sorter = &s->sorter;

	if (!s->sorting)
		return true;
	max = sorter_fill(s, max);
	while (max && sorter->filled == sorter->count && sorter->pass < 8) {
		if (!(sorter->varying >> sorter->pass * 8 & 0xff) && !sorter->scattering && !sorter->at)
			sorter->pass++;
		else
			max = sorter_pass(sorter, max);
	}
	if (sorter->filled < sorter->count || sorter->pass < 8)
		return false;
	free(s->order.items);
	s->order.items = sorter->items;
	s->order.count = sorter->count;
	s->order.capacity = sorter->count + 1;
	sorter->items = NULL;
	sorter_release(sorter);
	s->sorting = false;
	s->order_valid = true;
	s->generation++;
	if (s->missed.count)
		qsort(s->missed.items, s->missed.count, sizeof(uint32_t), compare_ids);
	order_update(s, &s->missed);
	vector_clear(&s->missed);
	return true;
}

/* Those of touched that are in, each once, with their keys, in order. */
static size_t entries_in(const struct selection *s, const struct id_list *touched,
	struct sort_entry *out)
{
	size_t count = 0;

	for (size_t i = 0; i < touched->count; i++) {
		uint32_t id = touched->items[i];

		if ((s->marks[id] & MARK_IN) && (!i || touched->items[i - 1] != id))
			out[count++] = (struct sort_entry){ key_of(s, id), id };
	}
	qsort(out, count, sizeof(*out), compare);
	return count;
}

/* order without the touched ones, and with the new ones, into merge. */
static void merge_entries(struct selection *s, const struct sort_entry *new, size_t count)
{
	size_t n = 0;

	vector_clear(&s->merge);
	vector_reserve(&s->merge, s->order.count + count);
	for (size_t i = 0; i < s->order.count; i++) {
		const struct sort_entry *entry = &s->order.items[i];

		if (s->marks[entry->id] & MARK_TOUCHED)
			continue;
		while (n < count && compare(&new[n], entry) < 0)
			s->merge.items[s->merge.count++] = new[n++];
		s->merge.items[s->merge.count++] = *entry;
	}
	while (n < count)
		s->merge.items[s->merge.count++] = new[n++];
}

/* touched is sorted.  All of them leave, and those that are in come back, so an id that left and
 * returned is not there twice. */
void order_update(struct selection *s, const struct id_list *touched)
{
	__typeof__(s->order) old = s->order;
	struct sort_entry *new;

	if (!touched->count || s->column == SELECT_BY_TIME)
		return;
	if (!s->order_valid) {
		for (size_t i = 0; s->sorter.items && i < touched->count; i++)
			vector_push(&s->missed, touched->items[i]);
		return;
	}
	new = xreallocarray(NULL, touched->count, sizeof(*new));
	for (size_t i = 0; i < touched->count; i++)
		s->marks[touched->items[i]] |= MARK_TOUCHED;
	merge_entries(s, new, entries_in(s, touched, new));
	for (size_t i = 0; i < touched->count; i++)
		s->marks[touched->items[i]] &= (uint8_t)~MARK_TOUCHED;
	free(new);
	s->order = s->merge;
	s->merge = old;
}
