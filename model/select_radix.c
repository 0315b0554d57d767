/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A radix sort of keys with ids, in steps. */
#include <stdlib.h>
#include <string.h>

#include "model/select_state.h"

#define ROOM_MIN	4096u
#define FEW		256u	/* sorted at once */
#define ID_PASSES	4u	/* ids come first, so that equal keys stand by id */
#define PASSES		(ID_PASSES + 8u)

void radix_stop(struct selection *s, struct radix *r)
{
	spill_put(s->heap->spill, r->items);
	spill_put(s->heap->spill, r->other);
	*r = (struct radix){ 0 };
}

/* Room for count entries, none of them there yet; false: there is no memory. */
bool radix_start(struct selection *s, struct radix *r, size_t count)
{
	if (count > r->room) {
		size_t room = count > ROOM_MIN ? count : ROOM_MIN;

		radix_stop(s, r);
		r->items = spill_get(s->heap->spill, room * sizeof(*r->items));
		r->other = spill_get(s->heap->spill, room * sizeof(*r->other));
		if (!r->items || !r->other) {
			radix_stop(s, r);
			return false;
		}
		r->room = room;
	}
	r->count = r->at = 0;
	r->pass = 0;
	r->scattering = false;
	r->any = r->any_id = 0;
	r->all = UINT64_MAX;
	r->all_ids = UINT32_MAX;
	memset(r->places, 0, sizeof(r->places));
	return true;
}

void radix_add(struct radix *r, uint64_t key, uint32_t id)
{
	r->items[r->count++] = (struct sort_entry){ key, id };
	r->any |= key;
	r->all &= key;
	r->any_id |= id;
	r->all_ids &= id;
}

static unsigned digit(const struct sort_entry *entry, unsigned pass)
{
	if (pass < ID_PASSES)
		return entry->id >> pass * 8 & 0xff;
	return entry->key >> (pass - ID_PASSES) * 8 & 0xff;
}

static bool varies(const struct radix *r, unsigned pass)
{
	if (pass < ID_PASSES)
		return (r->any_id & ~r->all_ids) >> pass * 8 & 0xff;
	return (r->any & ~r->all) >> (pass - ID_PASSES) * 8 & 0xff;
}

static void places_make(struct radix *r)
{
	size_t sum = 0;

	for (size_t i = 0; i < 256; i++) {
		size_t count = r->places[i];

		r->places[i] = sum;
		sum += count;
	}
}

static void pass_ended(struct radix *r)
{
	struct sort_entry *swap = r->items;

	r->at = 0;
	if (!r->scattering) {
		places_make(r);
	} else {
		r->items = r->other;
		r->other = swap;
		memset(r->places, 0, sizeof(r->places));
		r->pass++;
	}
	r->scattering = !r->scattering;
}

/* One byte: count, then scatter. */
static size_t pass_step(struct radix *r, size_t max)
{
	size_t end = r->count - r->at < max ? r->count : r->at + max;

	max -= end - r->at;
	for (; r->at < end; r->at++) {
		const struct sort_entry *entry = &r->items[r->at];

		if (r->scattering)
			r->other[r->places[digit(entry, r->pass)]++] = *entry;
		else
			r->places[digit(entry, r->pass)]++;
	}
	if (r->at == r->count)
		pass_ended(r);
	return max;
}

static int compare(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

size_t radix_step(struct radix *r, size_t max, bool *done)
{
	if (r->count <= FEW && r->pass < PASSES) {
		if (r->count > 1)
			qsort(r->items, r->count, sizeof(*r->items), compare);
		r->pass = PASSES;
		max -= r->count < max ? r->count : max;
	}
	while (max && r->pass < PASSES) {
		if (!r->scattering && !r->at && !varies(r, r->pass))
			r->pass++;
		else
			max = pass_step(r, max);
	}
	*done = r->pass == PASSES;
	return max;
}
