/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters out of a region.  Only rows that were used are looked at: a read of a page that was
 * never written would make it resident. */
#include "launcher/tally.h"

#include "trace/functions.h"

static struct channel_counters *counters_of(const struct region *r, uint32_t slot)
{
	return (struct channel_counters *)(r->counters + (size_t)slot * CHANNEL_COUNTERS_STRIDE);
}

static bool row_used(const struct channel_counters *c, unsigned row)
{
	return atomic_load_explicit(&c->used[row / 64], memory_order_relaxed) >> row % 64 & 1;
}

/* Cells of a row that counted something; returns what they counted. */
static uint64_t row_take(struct region *r, const struct channel_counters *c, unsigned row)
{
	uint64_t sum = 0;

	for (unsigned b = 0; b < CHANNEL_COUNTER_BUCKETS; b++) {
		struct trace_counter cell = {
			.op = row ? (uint8_t)row : OP_REALLOC_FREE, .bucket = (uint8_t)b,
			.count = atomic_load_explicit(&c->cells[row][b].count, memory_order_relaxed),
			.bytes = atomic_load_explicit(&c->cells[row][b].bytes, memory_order_relaxed),
		};

		if (cell.count)
			vector_push(&r->cells, cell);
		sum += cell.count;
	}
	return sum;
}

void tally_take(struct region *r, uint32_t slot, struct region_thread *t)
{
	const struct channel_counters *c;
	size_t first = r->cells.count;
	uint64_t sum = 0;

	if (!r->counters || !t->serial)
		return;
	c = counters_of(r, slot);
	for (unsigned row = 0; row < CHANNEL_COUNTER_ROWS; row++)
		sum += row_used(c, row) ? row_take(r, c, row) : 0;
	if (sum == t->counted) {
		r->cells.count = first;
		return;
	}
	t->counted = sum;
	vector_push(&r->tallies, (struct region_tally){ t->serial, first, r->cells.count - first });
}

void tally_all(struct region *r)
{
	for (size_t i = 0; r->counters && i < r->own.count; i++)
		tally_take(r, (uint32_t)i, &r->own.items[i]);
}

void tally_clear(struct region *r, uint32_t slot)
{
	struct channel_counters *c;

	if (!r->counters)
		return;
	c = counters_of(r, slot);
	for (unsigned row = 0; row < CHANNEL_COUNTER_ROWS; row++) {
		for (unsigned b = 0; row_used(c, row) && b < CHANNEL_COUNTER_BUCKETS; b++) {
			atomic_store_explicit(&c->cells[row][b].count, 0, memory_order_relaxed);
			atomic_store_explicit(&c->cells[row][b].bytes, 0, memory_order_relaxed);
		}
	}
	atomic_store_explicit(&c->used[0], 0, memory_order_relaxed);
	atomic_store_explicit(&c->used[1], 0, memory_order_relaxed);
	c->left = 0;
	c->random = 0;
}
