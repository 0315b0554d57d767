/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EVENTS records out of bytes: a cursor in each column, one pass over the events. */
#include "trace/decode.h"

#include <errno.h>
#include <stdbool.h>

#include "trace/functions.h"
#include "trace/ops.h"
#include "trace/varint.h"

struct column {
	const uint8_t *at, *end;
};

struct columns {
	struct column ops, stamps, backs, ptrs, sizes, stacks;
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
	       open_column(&at, end, &c->backs) && open_column(&at, end, &c->ptrs) &&
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

/* The address of event i, taken from an earlier one or its difference from the one before. */
static inline bool read_ptr(struct columns *c, struct trace_event *out, size_t i)
{
	uint64_t back, ptr;
	unsigned unaligned;

	if (!read(&c->backs, &back) || back > i)
		return false;
	if (back) {
		out[i].ptr = out[i - back].ptr;
		return true;
	}
	if (!read_flagged(&c->ptrs, &ptr, &unaligned))
		return false;
	out[i].ptr = (i ? out[i - 1].ptr : 0) + (unaligned ? unzigzag(ptr) : unzigzag(ptr) * 16);
	return true;
}

static inline bool read_event(struct columns *c, struct trace_event *out, size_t i,
			      uint64_t *stamp, uint32_t *stack)
{
	struct trace_event *e = &out[i];
	uint64_t since, size = 0, step = 0;
	uint8_t op = *c->ops.at++;
	unsigned inner = 0;

	if (!read(&c->stamps, &since) || !read_ptr(c, out, i))
		return false;
	e->op = real_op(op);
	if (op_kind(e->op) != OP_KIND_FREE && !read_flagged(&c->sizes, &size, &inner))
		return false;
	if (op & 0x80) {
		if (!read(&c->stacks, &step))
			return false;
		*stack += (uint32_t)unzigzag(step);
	}
	e->stamp = *stamp += unzigzag(since);
	e->size = size;
	e->stack = op & 0x80 ? *stack : 0;
	e->inner = (uint8_t)inner;
	e->pad = 0;
	return true;
}

int trace_get_events(const struct trace_record *record, uint32_t *thread,
		     struct trace_event *out, size_t max)
{
	const uint8_t *at = record->payload, *end = at + record->length;
	size_t count = record->kind == TRACE_EVENTS ? trace_record_count(record) : 0;
	struct columns c;
	uint64_t value = 0, stamp;
	uint32_t stack = 0;

	if (!count || count > max)
		return -EBADMSG;
	at = varint_read(at, end, &value);
	*thread = (uint32_t)value;
	at = at ? varint_read(at, end, &value) : NULL;
	at = at ? varint_read(at, end, &stamp) : NULL;
	if (!at || !open_columns(at, end, &c) || (size_t)(c.ops.end - c.ops.at) != count)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		if (!read_event(&c, out, i, &stamp, &stack))
			return -EBADMSG;
	}
	return (int)count;
}
