/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampler and the shadow table: chances as promised, whatever came before; bytes as told. */
#include "hook/sample.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hook/core.h"
#include "hook/memory.h"
#include "hook/shadow.h"
#include "hook/tls.h"
#include "tests/tap.h"

#define RATE	4096u
#define TRIALS	400000u

struct hook hook;
struct hook_life hook_life;
__thread struct hook_tls hook_tls_data;

void hook_clear(void *reserved, size_t size)
{
	memset(reserved, 0, size);
}

void *hook_reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static struct channel_thread threads[2];
static struct channel_counters *counters;

static void start(uint64_t seed)
{
	__builtin_memset(counters, 0, CHANNEL_COUNTERS_STRIDE);
	counters->random = seed;
}

/* Of blocks of one size, p = 1 - exp(-size / rate): within six standard deviations. */
static void chance_of_a_size(uint64_t size)
{
	double p = 1 - exp(-(double)(size ? size : 1) / RATE), n = 0;

	start(size + 17);
	for (unsigned i = 0; i < TRIALS; i++)
		n += sample_alloc(threads, OP_MALLOC, size);
	ok(fabs(n - TRIALS * p) <= 6 * sqrt(TRIALS * p * (1 - p)) + 1,
	   "size %llu: recorded %.0f of %u, %.0f expected", (unsigned long long)size, n, TRIALS, TRIALS * p);
}

/* Mixed sizes: weights 1/p and size/p give the true totals back. */
static void totals_from_weights(void)
{
	double count = 0, bytes = 0, var = 0, var_bytes = 0, all = 0;
	uint64_t state = 1;

	start(99);
	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t size;
		double p;

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		size = (state >> 33) & ((1u << (state >> 60)) - 1);
		p = 1 - exp(-(double)(size ? size : 1) / RATE);
		all += (double)size;
		var += (1 - p) / p;
		var_bytes += (1 - p) / p * (double)size * (double)size;
		if (!sample_alloc(threads, OP_MALLOC, size))
			continue;
		count += 1 / p;
		bytes += (double)size / p;
	}
	ok(fabs(count - TRIALS) < 6 * sqrt(var), "the number: %.0f of %u", count, TRIALS);
	ok(fabs(bytes - all) < 6 * sqrt(var_bytes), "the bytes: %.0f of %.0f", bytes, all);
}

/* Two samples in a row are independent: pairs come as often as chance squared. */
static void independence(void)
{
	double p = 1 - exp(-1.0), pairs = 0;
	bool last = false;

	start(5);
	for (unsigned i = 0; i < TRIALS; i++) {
		bool now = sample_alloc(threads, OP_MALLOC, RATE);

		pairs += last && now;
		last = now;
	}
	ok(fabs(pairs - TRIALS * p * p) < 8 * sqrt(TRIALS * p * p), "pairs: %.0f, %.0f expected", pairs,
	   TRIALS * p * p);
}

static void exact_counts(void)
{
	start(3);
	for (unsigned i = 1; i <= 1000; i++)
		sample_alloc(threads, OP_CALLOC, 100);
	sample_count(threads, OP_FREE, 0);
	sample_count(threads, OP_REALLOC_FREE, 0);
	is_int(counters->cells[OP_CALLOC][2].count, 1000, "each call counts");
	is_int(counters->cells[OP_CALLOC][2].bytes, 100000, "and its bytes");
	is_int(counters->cells[OP_FREE][0].count, 1, "a release");
	is_int(counters->cells[0][0].count, 1, "the releasing half of a realloc");
	ok(counters->used[0] == ((1ull << OP_CALLOC) | (1ull << OP_FREE) | 1), "rows in use are marked");
}

static void huge_rate(void)
{
	unsigned n = 0;

	hook.sample = 1ull << 40;
	start(8);
	for (unsigned i = 0; i < 1000; i++)
		n += sample_alloc(threads, OP_MALLOC, 16);
	is_int(n, 0, "one in a terabyte: none of these");
	ok(sample_alloc(threads, OP_MALLOC, 1ull << 47), "but one of 128 TiB");
	hook.sample = RATE;
}

/* Two addresses share a byte; one of them at a time is a block's. */
static void wide_leaves(void)
{
	char *heap = (char *)(uintptr_t)0x555550000000ul, *lower = heap + 64, *upper = heap + 80;

	ok(shadow_init(), "a table");
	shadow.used = 0;
	shadow_widen((uintptr_t)heap);
	shadow_put(lower, SHADOW_LIVE | OP_FAMILY_NEW);
	is_int(shadow_retire(upper), 0, "wide: its neighbour is no block");
	ok(shadow_is_live(lower) && !shadow_is_live(upper), "wide: and stays what it is");
	is_int(shadow_retire(lower), SHADOW_LIVE | OP_FAMILY_NEW, "wide: a live one");
	shadow_put(upper, SHADOW_LIVE | OP_FAMILY_MALLOC);
	is_int(shadow_retire(lower), 0, "wide: the byte is the other one's now");
	is_int(shadow_retire(upper), SHADOW_LIVE | OP_FAMILY_MALLOC, "wide: a live one at the upper address");
	is_int(shadow_retire(upper), SHADOW_FREED | OP_FAMILY_MALLOC, "wide: free already");
	shadow_put(heap - (1ul << SHADOW_UNIT_BITS), SHADOW_LIVE);
	shadow_put(heap - (1ul << SHADOW_UNIT_BITS) + 16, SHADOW_LIVE | OP_FAMILY_NEW);
	is_int(shadow_retire(heap - (1ul << SHADOW_UNIT_BITS)), SHADOW_LIVE, "not below the break");
	shadow.wide = shadow.used = 0;
}

static void shadow_tells(void)
{
	void *block = (void *)0x123456789ab0, *odd = (void *)0x123456789ab8, *far = (void *)(1ull << 47);

	ok(shadow_init(), "a table");
	is_int(shadow_retire(block), 0, "an address never seen");
	shadow_put(block, SHADOW_LIVE | OP_FAMILY_NEW);
	is_int(shadow_retire(block), SHADOW_LIVE | OP_FAMILY_NEW, "a live one, of its family");
	is_int(shadow_retire(block), SHADOW_FREED | OP_FAMILY_NEW, "free already");
	is_int(shadow_retire(odd), 0, "8-aligned: no block's, as long as none is");
	shadow_put(odd, SHADOW_LIVE);
	is_int(shadow_retire(odd), SHADOW_UNTOLD, "8-aligned: untold once one was");
	shadow_put(far, SHADOW_LIVE);
	is_int(shadow_retire(far), 0, "beyond the address space: no block's");
	for (uintptr_t i = 1; i < 1000; i++)
		shadow_put((void *)(i << SHADOW_UNIT_BITS), SHADOW_LIVE);
	is_int(shadow_retire((void *)(5ul << SHADOW_UNIT_BITS)), SHADOW_LIVE, "kept while there are leaves");
	is_int(shadow_retire((void *)(999ul << SHADOW_UNIT_BITS)), SHADOW_UNTOLD, "untold without one");
}

int main(void)
{
	static const uint64_t sizes[] = { 0, 1, 16, 100, 1000, 4096, 20000, 100000 };

	counters = calloc(2, CHANNEL_COUNTERS_STRIDE);
	hook.threads = threads;
	hook.counters = (char *)counters;
	hook.sample = RATE;
	hook_life.now = 1;
	hook_tls_take(0, threads, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		chance_of_a_size(sizes[i]);
	totals_from_weights();
	independence();
	exact_counts();
	huge_rate();
	wide_leaves();
	shadow_tells();
	free(counters);
	return done_testing();
}
