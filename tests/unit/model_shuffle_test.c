/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of several threads, written in random pieces, against a model that saw the truth. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/sites.h"
#include "model/threads.h"

#define THREADS		5u
#define ADDRESSES	96u
#define STACKS		20u
#define EVENTS		60000u
#define QUEUE		4096u

struct shadow_block {
	bool live;
	uint64_t size;
	uint32_t thread, stack;
};

struct shadow {
	struct shadow_block blocks[ADDRESSES];
	uint64_t time;
	int skew[THREADS];		/* quanta */
	uint64_t live, live_bytes, peak, allocs, frees;
	uint64_t thread_live[THREADS], thread_alloc[THREADS];
	uint64_t stack_live[STACKS], stack_peak[STACKS];
	struct trace_event queue[THREADS][QUEUE];
	size_t queued[THREADS];
};

static uint64_t address_of(uint32_t index)
{
	return 0x10000 + 64ull * index;
}

static void put(struct shadow *s, uint32_t thread, uint8_t op, uint32_t index)
{
	const struct shadow_block *block = &s->blocks[index];

	s->queue[thread][s->queued[thread]++] = (struct trace_event){
		.stamp = 1000 + s->time + (uint64_t)(int64_t)s->skew[thread], .ptr = address_of(index),
		.size = op == OP_MALLOC ? block->size : 0,
		.stack = op == OP_MALLOC ? 8 + block->stack : 0, .op = op,
	};
}

static void shadow_alloc(struct shadow *s, uint32_t thread, uint32_t index)
{
	struct shadow_block *block = &s->blocks[index];

	*block = (struct shadow_block){ true, build_random(1000), thread, (uint32_t)build_random(STACKS) };
	s->live++;
	s->allocs++;
	s->live_bytes += block->size;
	s->thread_live[thread] += block->size;
	s->thread_alloc[thread] += block->size;
	s->stack_live[block->stack] += block->size;
	if (s->live_bytes > s->peak) {
		s->peak = s->live_bytes;
		memcpy(s->stack_peak, s->stack_live, sizeof(s->stack_peak));
	}
	put(s, thread, OP_MALLOC, index);
}

static void shadow_free(struct shadow *s, uint32_t thread, uint32_t index)
{
	struct shadow_block *block = &s->blocks[index];

	put(s, thread, OP_FREE, index);
	block->live = false;
	s->live--;
	s->frees++;
	s->live_bytes -= block->size;
	s->thread_live[block->thread] -= block->size;
	s->stack_live[block->stack] -= block->size;
}

/* Write what a thread has, whole or in part. */
static void flush(struct shadow *s, struct build *b, uint32_t thread, bool whole)
{
	size_t count = s->queued[thread];

	if (!whole && count)
		count = build_random(count);
	trace_put_events(&b->out, thread + 1, s->queue[thread], count);
	b->events += count;
	s->queued[thread] -= count;
	memmove(s->queue[thread], s->queue[thread] + count, s->queued[thread] * sizeof(s->queue[0][0]));
}

/* Everything stamped before the oldest event still to come is complete. */
static void sync_all(struct shadow *s, struct build *b)
{
	uint64_t first = 1000 + s->time - 10;

	for (uint32_t t = 0; t < THREADS; t++)
		if (s->queued[t] && s->queue[t][0].stamp < first)
			first = s->queue[t][0].stamp;
	b->stamp = first - 1;
	build_sync(b);
}

static void simulate(struct shadow *s, struct build *b, int skew, unsigned pace)
{
	memset(s, 0, sizeof(*s));
	for (uint32_t t = 0; t < THREADS; t++)
		s->skew[t] = skew ? (int)build_random((uint64_t)skew * 2 + 1) - skew : 0;
	for (uint32_t i = 0; i < STACKS; i++)
		build_node(b, 8 + i, 1, 0x401000 + 16 * i);
	for (unsigned i = 0; i < EVENTS; i++) {
		uint32_t thread = (uint32_t)build_random(THREADS), index = (uint32_t)build_random(ADDRESSES);

		s->time += 1 + build_random(pace);
		if (s->blocks[index].live)
			shadow_free(s, thread, index);
		else
			shadow_alloc(s, thread, index);
		if (build_random(50) == 0)
			flush(s, b, (uint32_t)build_random(THREADS), build_random(2));
		if (build_random(300) == 0)
			sync_all(s, b);
		for (uint32_t t = 0; t < THREADS; t++)
			if (s->queued[t] == QUEUE)
				flush(s, b, t, true);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		flush(s, b, (t + 2) % THREADS, true);
	b->stamp = 2000 + s->time;
	build_end(b, TRACE_END_EXIT, 0);
}

/* The leaked records are exactly the blocks that live in the shadow. */
static unsigned wrong_records(const struct shadow *s, const struct heap *heap)
{
	unsigned wrong = 0;
	uint64_t live = 0;

	for (uint32_t id = 0; id < block_count(heap); id++) {
		const struct shadow_block *block;
		struct block_record r;

		block_get(heap, id, &r);
		if (r.state != BLOCK_LEAKED)
			continue;
		live++;
		block = &s->blocks[(r.ptr - 0x10000) / 64];
		wrong += !block->live || block->size != r.size;
	}
	return wrong + (live != s->live);
}

static unsigned wrong_threads(const struct shadow *s, const struct heap *heap)
{
	unsigned wrong = 0;

	for (uint32_t i = 0; i < thread_count(heap); i++) {
		struct heap_thread t;
		uint32_t number;

		thread_get(heap, i, &t);
		number = t.tid - 101;
		wrong += t.live_bytes != s->thread_live[number];
		wrong += t.alloc_bytes != s->thread_alloc[number];
		wrong += t.alloc_bytes - t.freed_bytes != t.live_bytes;
	}
	return wrong;
}

static unsigned wrong_peak(const struct shadow *s, struct heap *heap)
{
	uint64_t parts[STACKS], want[STACKS];
	unsigned wrong = 0;

	memset(parts, 0, sizeof(parts));
	memcpy(want, s->stack_peak, sizeof(want));
	for (uint32_t i = 0; i < site_count(heap); i++) {
		struct heap_site site;
		bool found = false;

		site_get(heap, i, &site);
		for (uint32_t k = 0; k < STACKS && !found; k++)
			if (want[k] == site.peak_bytes) {
				found = true;
				want[k] = UINT64_MAX;
			}
		wrong += !found;
	}
	return wrong;
}

static void check(int skew, unsigned pace, size_t piece, const char *what)
{
	struct shadow *s = xcalloc(1, sizeof(*s));
	struct buffer file = BUFFER_INIT;
	struct heap_status status;
	struct heap_totals t;
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_fact(&b, "method", "preload");
	for (uint32_t i = 1; i <= THREADS; i++)
		build_thread(&b, i, "worker");
	simulate(s, &b, skew, pace);
	build_file(&b, &file);
	heap = build_feed(file.data, file.length, piece, true);
	heap_end(heap);
	heap_status(heap, &status);
	heap_totals(heap, HEAP_BLOCKS, &t);
	is_int(status.events, EVENTS, "%s: all events", what);
	ok(!status.damaged, "%s: not damaged", what);
	is_int(t.allocs, s->allocs, "%s: allocations", what);
	is_int(t.live, s->live, "%s: live blocks", what);
	is_int(t.live_bytes, s->live_bytes, "%s: live bytes", what);
	is_int(t.leaked_bytes, s->live_bytes, "%s: leaked bytes", what);
	is_int(t.frees, s->frees, "%s: frees", what);
	is_int(status.unknown_frees + status.implied_frees, 0, "%s: every free found its block", what);
	is_int(wrong_records(s, heap), 0, "%s: records are the truth", what);
	is_int(wrong_threads(s, heap), 0, "%s: threads are the truth", what);
	if (!skew) {
		is_int(t.peak_bytes, s->peak, "%s: exact peak", what);
		is_int(wrong_peak(s, heap), 0, "%s: its composition is the truth", what);
	}
	heap_free(heap);
	buffer_release(&file);
	free(b.out.data);
	free(s);
}

int main(void)
{
	check(0, 5, 65536, "one clock");
	check(0, 1, 977, "one clock, dense");
	check(3, 40, 65536, "small skew");
	check(4, 20, 4096, "skew near the pace");
	check(10, 200, 1 << 20, "large skew");
	return done_testing();
}
