/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EVENTS records out of bytes: a cursor in each column, one pass over the events. */
#include "trace/decode.h"

#include <errno.h>
#include <stdbool.h>

#include "trace/functions.h"
#include "trace/ops.h"
#include "trace/places.h"
#include "trace/varint.h"

struct column {
	const uint8_t *at, *end;
};

struct columns {
	struct column ops, stamps, news, frees, new_ptrs, free_ptrs, sizes, stacks;
};

static bool open_column(const uint8_t **at, const uint8_t *end, struct column *column)
{
	uint64_t length;
	const uint8_t *start = varint_read(*at, end, &length);

	if (!start || length > (size_t)(end - start))
		return false;
	*column = (struct column){ start, start + length };
	*at = column->end;
	return true;
}

static bool open_columns(const uint8_t *at, const uint8_t *end, struct columns *c)
{
	return open_column(&at, end, &c->ops) && open_column(&at, end, &c->stamps) &&
	       open_column(&at, end, &c->news) && open_column(&at, end, &c->frees) &&
	       open_column(&at, end, &c->new_ptrs) && open_column(&at, end, &c->free_ptrs) &&
	       open_column(&at, end, &c->sizes) && open_column(&at, end, &c->stacks);
}

static inline bool read(struct column *column, uint64_t *value)
{
	const uint8_t *at = varint_read(column->at, column->end, value);

	column->at = at;
	return at;
}

/* A varint of which bit 0 is a flag and the rest is 64 bits of value. */
static inline bool read_flagged(struct column *column, uint64_t *value, unsigned *flag)
{
	uint64_t rest = 0;
	uint8_t first;

	if (column->at >= column->end)
		return false;
	first = *column->at++;
	if (first & 0x80 && (!read(column, &rest) || rest >> 58))
		return false;
	*flag = first & 1;
	*value = rest << 6 | (first >> 1 & 0x3f);
	return true;
}

static inline uint8_t real_op(uint8_t stored)
{
	stored &= 0x7f;
	return stored >= 112 ? (uint8_t)(127 - stored + OP_PSEUDO_BASE + 1) : stored;
}

/* An address told in full: its difference from *last, which it becomes. */
static inline bool read_ptr(struct column *column, uint64_t *last)
{
	uint64_t d;
	unsigned unaligned;

	if (!read_flagged(column, &d, &unaligned))
		return false;
	*last += unaligned ? unzigzag(d) : unzigzag(d) * 16;
	return true;
}

/* The address of event i, whose size is known. */
static inline bool read_new(struct columns *c, struct places *p, struct trace_event *out, size_t i)
{
	const struct places_list *l = &p->lists[places_list_of(out[i].size)];
	uint64_t place, rank, ptr = p->newest;

	if (!read(&c->news, &place))
		return false;
	rank = place == PLACE_FIRST ? 0 : place - PLACE_BEHIND;
	if (place == PLACE_FREED)
		ptr = p->freed;
	else if (place == PLACE_BEHIND)
		ptr = p->behind;
	else if (place < PLACE_FAR && rank < l->count)
		ptr = places_list_get(l, (uint32_t)rank);
	else if (place > PLACE_FAR && place - PLACE_FAR <= i)
		ptr = out[i - (place - PLACE_FAR)].ptr;
	else if (place != PLACE_FAR || !read_ptr(&c->new_ptrs, &ptr))
		return false;
	out[i].ptr = ptr;
	places_taken(p, place, ptr, out[i].size);
	if (op_kind(out[i].op) == OP_KIND_ALLOC)
		places_live(p, (uint32_t)i);
	return true;
}

static inline bool read_free(struct columns *c, struct places *p, struct trace_event *out, size_t i)
{
	uint64_t age;
	uint32_t at;

	if (!read(&c->frees, &age) || age > p->count)
		return false;
	if (!age) {
		if (!read_ptr(&c->free_ptrs, &p->released))
			return false;
		out[i].ptr = p->released;
		places_freed(p, out[i].ptr, PLACES_NONE);
		return true;
	}
	at = p->count - (uint32_t)age;
	if (p->live[at] == PLACES_DEAD)
		return false;
	out[i].ptr = out[p->live[at]].ptr;
	places_freed(p, out[i].ptr, places_list_of(out[p->live[at]].size));
	places_dead(p, at, NULL);
	return true;
}

/* What the events before leave behind. */
struct state {
	uint64_t stamp;
	uint32_t stack;
	struct places places;
};

static inline bool read_address(struct columns *c, struct state *s, struct trace_event *out, size_t i)
{
	unsigned inner = 0;

	out[i].size = 0;
	out[i].inner = 0;
	if (op_kind(out[i].op) == OP_KIND_FREE)
		return read_free(c, &s->places, out, i);
	if (!read_flagged(&c->sizes, &out[i].size, &inner))
		return false;
	out[i].inner = (uint8_t)inner;
	return read_new(c, &s->places, out, i);
}

static inline bool read_event(struct columns *c, struct state *s, struct trace_event *out, size_t i)
{
	struct trace_event *e = &out[i];
	uint64_t since, step = 0;
	uint8_t op = *c->ops.at++;

	e->op = real_op(op);
	if (!read(&c->stamps, &since) || !read_address(c, s, out, i))
		return false;
	if (op & 0x80) {
		if (!read(&c->stacks, &step))
			return false;
		s->stack += (uint32_t)unzigzag(step);
	}
	e->stamp = s->stamp += unzigzag(since);
	e->stack = op & 0x80 ? s->stack : 0;
	e->pad = 0;
	return true;
}

int trace_get_events(const struct trace_record *record, uint32_t *thread,
		     struct trace_event *out, size_t max)
{
	const uint8_t *at = record->payload, *end = at + record->length;
	size_t count = record->kind == TRACE_EVENTS ? trace_record_count(record) : 0;
	struct columns c;
	struct state s;
	uint64_t value = 0;

	if (!count || count > max)
		return -EBADMSG;
	at = varint_read(at, end, &value);
	*thread = (uint32_t)value;
	at = at ? varint_read(at, end, &value) : NULL;
	at = at ? varint_read(at, end, &s.stamp) : NULL;
	if (!at || !open_columns(at, end, &c) || (size_t)(c.ops.end - c.ops.at) != count)
		return -EBADMSG;
	s.stack = 0;
	places_init(&s.places);
	for (size_t i = 0; i < count; i++) {
		if (!read_event(&c, &s, out, i))
			return -EBADMSG;
	}
	return (int)count;
}
