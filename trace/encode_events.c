/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EVENTS records into bytes.  One pass per column, but one for all that tell addresses, so that
 * each loop keeps its state in registers; room for the worst case is checked once, before. */
#include "trace/encode.h"

#include <errno.h>

#include "trace/functions.h"
#include "trace/ops.h"
#include "trace/places.h"
#include "trace/varint.h"

/* Worst case of one event: op 1, stamp 10, new or free 3, ptr 11, size 11, stack 5. */
#define EVENT_BYTES	41u
#define HEAD_BYTES	(1 + 3 * VARINT_MAX + TRACE_EVENT_COLUMNS * 5)
#define IN_LIST		0x80000000u
#define ADDRESS_BYTES	(2 * 3 + 2 * 11)	/* the columns of an event's address, each apart */

/* A varint of which bit 0 is a flag and the rest is 64 bits of value. */
static inline uint8_t *flagged_write(uint8_t *at, uint64_t value, unsigned flag)
{
	uint64_t rest = value >> 6;

	*at++ = (uint8_t)((value & 0x3f) << 1 | flag | (rest ? 0x80 : 0));
	return rest ? varint_write(at, rest) : at;
}

static inline uint8_t stored_op(uint8_t op)
{
	if (op > OP_PSEUDO_BASE)
		return (uint8_t)(127 - (op - OP_PSEUDO_BASE - 1) % 16);
	return op < 112 ? op : OP_VOID;
}

static uint8_t *put_ops(uint8_t *at, const struct trace_event *e, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*at++ = (uint8_t)(stored_op(e[i].op) | (e[i].stack ? 0x80 : 0));
	return at;
}

static uint8_t *put_stamps(uint8_t *at, const struct trace_event *e, size_t count)
{
	uint64_t last = e[0].stamp;

	for (size_t i = 0; i < count; i++) {
		at = varint_write(at, zigzag(e[i].stamp - last));
		last = e[i].stamp;
	}
	return at;
}

/* Four columns that one pass makes, and what it remembers.  What grows with the events lies behind
 * the room of the record itself (trace_events_bound). */
struct addresses {
	uint8_t *news, *frees, *new_ptrs, *free_ptrs;	/* ends so far */
	uint32_t *numbers;	/* by event: its number in places.live while it is there, or for a free
				 * IN_LIST + the list its block went to */
	uint16_t *slots;	/* hash of an address -> the event that had it last, believed only if so */
	unsigned shift;
	struct places places;
};

static size_t slot_bits(size_t count)
{
	size_t bits = 5;

	while (bits < 17 && (size_t)1 << bits < 2 * count)
		bits++;
	return bits;
}

/* Bytes behind the record: numbers, slots, then the columns. */
static size_t scratch_bytes(size_t count)
{
	return sizeof(uint32_t) + count * sizeof(uint32_t) + (sizeof(uint16_t) << slot_bits(count)) +
	       count * ADDRESS_BYTES;
}

static uint8_t *scratch_open(struct addresses *a, uint8_t *from, size_t count)
{
	uint8_t *at = from + (-(uintptr_t)from & (sizeof(uint32_t) - 1));
	size_t bits = slot_bits(count);

	a->numbers = (uint32_t *)at;
	at += count * sizeof(*a->numbers);
	a->slots = (uint16_t *)at;
	at += sizeof(*a->slots) << bits;
	a->shift = (unsigned)(64 - bits);
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		a->slots[i] = 0;
	places_init(&a->places);
	return at;
}

/* The difference from *last, which becomes it. */
static inline uint8_t *ptr_write(uint8_t *at, uint64_t ptr, uint64_t *last)
{
	uint64_t d = ptr - *last;

	*last = ptr;
	if (d % 16 == 0)
		return flagged_write(at, zigzag((uint64_t)((int64_t)d / 16)), 0);
	return flagged_write(at, zigzag(d), 1);
}

/* Where the address is in the list of its size.  Only its newest item is looked at unless the last
 * event of the address, as far as that is known, put it into this list. */
static inline uint64_t place_in_list(const struct addresses *a, const struct trace_event *e, size_t i, size_t before)
{
	uint32_t list = places_list_of(e[i].size);
	const struct places_list *l = &a->places.lists[list];

	if (l->count && places_list_get(l, 0) == e[i].ptr)
		return PLACE_FIRST;
	if (before == i || a->numbers[before] != IN_LIST + list)
		return PLACE_FAR;
	for (uint32_t rank = 1; rank < l->count; rank++)
		if (places_list_get(l, rank) == e[i].ptr)
			return PLACE_BEHIND + rank;
	return PLACE_FAR;
}

/* before: the event that had the address last, or i. */
static inline void put_new(struct addresses *a, const struct trace_event *e, size_t i, size_t before)
{
	struct places *p = &a->places;
	uint64_t place = place_in_list(a, e, i, before);

	if (place != PLACE_FIRST && e[i].ptr == p->freed)
		place = PLACE_FREED;
	else if (place != PLACE_FIRST && e[i].ptr == p->behind)
		place = PLACE_BEHIND;
	else if (place == PLACE_FAR)
		place += i - before;
	a->news = varint_write(a->news, place);
	if (place == PLACE_FAR) {
		uint64_t newest = p->newest;

		a->new_ptrs = ptr_write(a->new_ptrs, e[i].ptr, &newest);
	}
	places_taken(p, place, e[i].ptr, e[i].size);
	a->numbers[i] = op_kind(e[i].op) == OP_KIND_ALLOC ? places_live(p, (uint32_t)i) : PLACES_NONE;
}

static inline void put_free(struct addresses *a, const struct trace_event *e, size_t i, size_t before)
{
	struct places *p = &a->places;
	uint32_t number = before < i ? a->numbers[before] : PLACES_NONE, at = number - p->base, list;

	if (number >= IN_LIST || number < p->base) {
		a->numbers[i] = PLACES_NONE;
		a->frees = varint_write(a->frees, 0);
		a->free_ptrs = ptr_write(a->free_ptrs, e[i].ptr, &p->released);
		places_freed(p, e[i].ptr, PLACES_NONE);
		return;
	}
	a->frees = varint_write(a->frees, p->count - at);
	places_dead(p, at, a->numbers);
	list = places_list_of(e[before].size);
	places_freed(p, e[i].ptr, list);
	a->numbers[i] = IN_LIST + list;
}

static uint8_t *put_column(uint8_t *at, const uint8_t *from, const uint8_t *end, size_t width)
{
	varint_write_wide(at - width, (uint64_t)(end - from), width);
	while (from < end)
		*at++ = *from++;
	return at + width;
}

static uint8_t *put_addresses(uint8_t *at, const struct trace_event *e, size_t count, size_t width,
			      uint8_t *scratch)
{
	struct addresses a;
	uint8_t *columns = scratch_open(&a, scratch, count);

	a.news = columns;
	a.frees = columns + 3 * count;
	a.new_ptrs = columns + 6 * count;
	a.free_ptrs = columns + 17 * count;
	for (size_t i = 0; i < count; i++) {
		uint16_t *slot = &a.slots[e[i].ptr * 0x9e3779b97f4a7c15ull >> a.shift];
		size_t before = *slot < i && e[*slot].ptr == e[i].ptr ? *slot : i;

		if (op_kind(e[i].op) == OP_KIND_FREE)
			put_free(&a, e, i, before);
		else
			put_new(&a, e, i, before);
		*slot = (uint16_t)i;
	}
	at = put_column(at, columns, a.news, width);
	at = put_column(at, columns + 3 * count, a.frees, width);
	at = put_column(at, columns + 6 * count, a.new_ptrs, width);
	return put_column(at, columns + 17 * count, a.free_ptrs, width);
}

static uint8_t *put_sizes(uint8_t *at, const struct trace_event *e, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (op_kind(e[i].op) != OP_KIND_FREE)
			at = flagged_write(at, e[i].size, !!e[i].inner);
	}
	return at;
}

static uint8_t *put_stacks(uint8_t *at, const struct trace_event *e, size_t count)
{
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		if (!e[i].stack)
			continue;
		at = varint_write(at, zigzag((uint64_t)(int64_t)(int32_t)(e[i].stack - last)));
		last = e[i].stack;
	}
	return at;
}

size_t trace_events_bound(size_t count)
{
	return HEAD_BYTES + count * EVENT_BYTES + scratch_bytes(count);
}

/* A column begins behind the place of its length, and its length is known when it ends. */
static uint8_t *close_column(uint8_t *column, uint8_t *end, size_t width)
{
	varint_write_wide(column - width, (uint64_t)(end - column), width);
	return end + width;
}

int trace_put_events(struct trace_out *out, uint32_t thread, const struct trace_event *events,
		     size_t count)
{
	uint8_t *start = out->data + out->length, *at = start;
	size_t width;

	if (!count)
		return 0;
	if (count > TRACE_BATCH_MAX)
		return -EINVAL;
	if (out->capacity - out->length < trace_events_bound(count))
		return -ENOSPC;
	/* Lengths come before their bytes: as many bytes as the worst case needs. */
	width = varint_length(HEAD_BYTES + count * EVENT_BYTES);
	*at = TRACE_EVENTS;
	at += 1 + width;
	at = varint_write(at, thread);
	at = varint_write(at, count);
	at = varint_write(at, events[0].stamp) + width;
	at = close_column(at, put_ops(at, events, count), width);
	at = close_column(at, put_stamps(at, events, count), width);
	at = put_addresses(at, events, count, width, start + HEAD_BYTES + count * EVENT_BYTES);
	at = close_column(at, put_sizes(at, events, count), width);
	at = close_column(at, put_stacks(at, events, count), width) - width;
	varint_write_wide(start + 1, (uint64_t)(at - start) - 1 - width, width);
	out->length += (size_t)(at - start);
	return 0;
}
