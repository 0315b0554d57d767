/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exponential gaps and exact counts, in integers. */
#include "hook/sample.h"

#include "hook/core.h"
#include "hook/tls.h"

#define LN2_32		2977044472u	/* ln 2, 32 fractional bits */
#define FRACTION_BITS	32u
#define GAP_MAX		INT64_MAX

static struct channel_counters *counters_of(const struct channel_thread *t)
{
	return (struct channel_counters *)(hook.counters +
					   (size_t)(t - hook.threads) * CHANNEL_COUNTERS_STRIDE);
}

/* splitmix64 */
static uint64_t next_random(struct channel_counters *c)
{
	uint64_t z = c->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* -log2(u / 2^64) for u > 0, with 32 fractional bits: the bits of the logarithm of a number in
 * [1, 2) are those that its repeated squares carry out. */
static uint64_t minus_log2(uint64_t u)
{
	unsigned zeros = (unsigned)__builtin_clzll(u);
	uint64_t x = u << zeros >> 1;	/* 2.62 fixed point, in [1, 2) */
	uint64_t fraction = 0;

	for (unsigned i = 0; i < FRACTION_BITS; i++) {
		x = (uint64_t)((unsigned __int128)x * x >> 62);
		fraction <<= 1;
		if (x >> 63) {
			fraction |= 1;
			x >>= 1;
		}
	}
	return ((uint64_t)(zeros + 1) << FRACTION_BITS) - fraction;
}

/* Bytes up to the next point, at least 1. */
static int64_t draw_gap(struct channel_counters *c)
{
	uint64_t u = next_random(c), log2;
	unsigned __int128 gap;

	log2 = minus_log2(u ? u : 1);
	gap = (unsigned __int128)log2 * LN2_32 >> FRACTION_BITS;
	gap = gap * hook.sample >> FRACTION_BITS;
	return gap >= GAP_MAX ? GAP_MAX : (int64_t)gap + 1;
}

static unsigned bucket_of(uint64_t size)
{
	unsigned bits = size > 16 ? 64 - (unsigned)__builtin_clzll(size - 1) : 4;
	unsigned bucket = (bits - 3) / 2;

	return bucket < CHANNEL_COUNTER_BUCKETS ? bucket : CHANNEL_COUNTER_BUCKETS - 1;
}

static void count_in(struct channel_counters *c, unsigned row, unsigned bucket, uint64_t size)
{
	raw_bump_local(&c->cells[row][bucket].count, 1);
	raw_bump_local(&c->cells[row][bucket].bytes, size);
	if (!(atomic_load_explicit(&c->used[row / 64], memory_order_relaxed) >> row % 64 & 1))
		atomic_fetch_or(&c->used[row / 64], 1ull << row % 64);
}

static unsigned row_of(enum op op)
{
	return op < CHANNEL_COUNTER_ROWS ? op : 0;
}

void sample_count(struct channel_thread *thread, enum op op, uint64_t size)
{
	if (likely(hook_tls_is(thread, hook_life.now)))
		count_in(counters_of(thread), row_of(op), size ? bucket_of(size) : 0, size);
}

static void seed(struct channel_counters *c, const struct channel_thread *t)
{
	if (!c->random)
		c->random = (raw_ticks() ^ (uint64_t)t->tid << 40 ^ (uintptr_t)c) | 1;
	c->left = draw_gap(c);
}

bool sample_alloc(struct channel_thread *thread, enum op op, uint64_t size)
{
	struct channel_counters *c = counters_of(thread);
	uint64_t bytes = size ? size : 1;

	if (unlikely(!hook_tls_is(thread, hook_life.now)))
		return false;
	if (unlikely(!c->left))
		seed(c, thread);
	count_in(c, row_of(op), bucket_of(size), size);
	if (bytes < (uint64_t)c->left) {
		c->left -= (int64_t)bytes;
		return false;
	}
	c->left = draw_gap(c);
	return true;
}
