/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EVENTS records into bytes.  One pass per column, so that each loop keeps its state in
 * registers; room for the worst case is checked once, before. */
#include "trace/encode.h"

#include <errno.h>

#include "trace/functions.h"
#include "trace/ops.h"
#include "trace/varint.h"

/* Worst case of one event: op 1, stamp 10, back 1, ptr 11, size 11, stack 5. */
#define EVENT_BYTES	39u
#define HEAD_BYTES	(1 + 3 * VARINT_MAX + 6 * 5)

#define RECENT_BITS	12u	/* hash slots: 8 KiB of stack */

size_t trace_events_bound(size_t count)
{
	return HEAD_BYTES + count * EVENT_BYTES;
}

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

/* Where each address stood last in this run.  A slot is believed only when the event it names
 * has that address, so it needs no key, and zeroed slots do no harm. */
struct recent {
	unsigned shift;
	uint16_t slots[1u << RECENT_BITS];
};

static void recent_init(struct recent *r, size_t count)
{
	unsigned bits = 5;

	while (bits < RECENT_BITS && (1u << bits) < 2 * count)
		bits++;
	r->shift = 64 - bits;
	for (size_t i = 0; i < 1u << bits; i++)
		r->slots[i] = 0;
}

static uint8_t *put_backs(uint8_t *at, const struct trace_event *e, size_t count)
{
	struct recent recent;

	recent_init(&recent, count);
	for (size_t i = 0; i < count; i++) {
		uint16_t *slot = &recent.slots[e[i].ptr * 0x9e3779b97f4a7c15ull >> recent.shift];
		size_t j = *slot;

		*slot = (uint16_t)i;
		at = varint_write(at, j < i && e[j].ptr == e[i].ptr ? i - j : 0);
	}
	return at;
}

/* Reads the distances that put_backs wrote: the addresses they do not give follow. */
static uint8_t *put_ptrs(uint8_t *at, const struct trace_event *e, size_t count,
			 const uint8_t *backs)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; last = e[i++].ptr) {
		uint64_t d = e[i].ptr - last;

		if (*backs) {
			while (*backs++ & 0x80)
				;
			continue;
		}
		backs++;
		if (d % 16 == 0)
			at = flagged_write(at, zigzag((uint64_t)((int64_t)d / 16)), 0);
		else
			at = flagged_write(at, zigzag(d), 1);
	}
	return at;
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

/* A column begins behind the place of its length, and its length is known when it ends. */
static uint8_t *close_column(uint8_t *column, uint8_t *end, size_t width)
{
	varint_write_wide(column - width, (uint64_t)(end - column), width);
	return end + width;
}

int trace_put_events(struct trace_out *out, uint32_t thread, const struct trace_event *events,
		     size_t count)
{
	uint8_t *start = out->data + out->length, *at = start, *backs;
	size_t width;

	if (!count)
		return 0;
	if (count > TRACE_BATCH_MAX)
		return -EINVAL;
	if (out->capacity - out->length < trace_events_bound(count))
		return -ENOSPC;
	/* Lengths come before their bytes: as many bytes as the worst case needs. */
	width = varint_length(trace_events_bound(count));
	*at = TRACE_EVENTS;
	at += 1 + width;
	at = varint_write(at, thread);
	at = varint_write(at, count);
	at = varint_write(at, events[0].stamp) + width;
	at = close_column(at, put_ops(at, events, count), width);
	at = close_column(at, put_stamps(at, events, count), width);
	backs = at;
	at = close_column(at, put_backs(at, events, count), width);
	at = close_column(at, put_ptrs(at, events, count, backs), width);
	at = close_column(at, put_sizes(at, events, count), width);
	at = close_column(at, put_stacks(at, events, count), width) - width;
	varint_write_wide(start + 1, (uint64_t)(at - start) - 1 - width, width);
	out->length += (size_t)(at - start);
	return 0;
}
