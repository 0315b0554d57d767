/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampled traces: estimates are unbiased, and their margins hold what they promise. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include <math.h>

#include "model/calltree.h"
#include "model/select.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"

#define PERIOD		400
#define TRIALS		400
#define BLOCKS		4000u
#define STACKS		4u	/* one node each, from 10 */

/* Estimates of one trial, and the truth. */
enum figure { ALLOCS, BYTES, LIVE, LIVE_BYTES, FREED_BYTES, PEAK_BYTES, SITE, SITE_BYTES, SITE_LIVE, THREAD_BYTES,
	      GROUP_BYTES, BAR, FIGURES };
static const char *const names[FIGURES] = {
	"blocks", "bytes", "live blocks", "live bytes", "freed bytes", "bytes at the peak", "blocks of a site",
	"bytes of a site", "live bytes of a site", "bytes of a thread", "bytes of a group",
	"blocks of a bar of the histogram",
};
static double truth[FIGURES], sum[FIGURES], square[FIGURES];
static unsigned held[FIGURES];

static double uniform(void)
{
	return (double)(build_random(1ull << 52) + 1) / (double)(1ull << 52);
}

/* Many small, some large, as heaps are. */
static uint64_t size_of(unsigned block)
{
	static const uint64_t sizes[] = { 16, 24, 16, 24, 40, 64, 100, 100, 260, 500, 700, 1500, 4000, 30000, 24, 48 };

	return sizes[block * 2654435761u >> 28];
}

static unsigned stack_of(unsigned block)
{
	return block % 7 < STACKS ? block % 7 : 0;
}

static bool temporary(unsigned block)
{
	return block % 5 == 1;
}

static bool lives(unsigned block)
{
	return block % 3 == 0 && !temporary(block);
}

static void count_truth(void)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		double size = (double)size_of(i);
		bool site = stack_of(i) == 2;

		truth[ALLOCS]++;
		truth[BYTES] += size;
		truth[LIVE] += lives(i);
		truth[LIVE_BYTES] += lives(i) * size;
		truth[FREED_BYTES] += !lives(i) * size;
		truth[PEAK_BYTES] += !temporary(i) * size;
		truth[SITE] += site;
		truth[SITE_BYTES] += site * size;
		truth[SITE_LIVE] += (site && lives(i)) * size;
		truth[THREAD_BYTES] += (i % 2) * size;
		truth[GROUP_BYTES] += site * size;
		truth[BAR] += size_bucket(size_of(i)) == 1;
	}
}

/* What a hook would send of it: about one block in PERIOD bytes. */
static struct heap *sample(void)
{
	static bool taken[BLOCKS];
	struct build b;

	build_init(&b);
	build_fact(&b, "sample", "400");
	build_thread(&b, 1, "main");
	build_thread(&b, 2, "worker");
	build_module(&b, 1, 0x400000, "/usr/bin/prog");
	for (uint32_t i = 0; i < STACKS; i++)
		build_node(&b, 10 + i, 1, 0x400100 + 16 * i);
	for (unsigned i = 0; i < BLOCKS; i++) {
		uint64_t size = size_of(i);

		taken[i] = uniform() > exp(-(double)(size ? size : 1) / PERIOD);
		if (!taken[i])
			continue;
		build_stack_event(&b, 1 + i % 2, OP_MALLOC, 0x10000 + 16ull * i, size, 10 + stack_of(i));
		if (temporary(i))
			build_event(&b, 1 + i % 2, OP_FREE, 0x10000 + 16ull * i, 0);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		if (taken[i] && !temporary(i) && !lives(i))
			build_event(&b, 1, OP_FREE, 0x10000 + 16ull * i, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	return build_heap(&b);
}

static void see(enum figure figure, uint64_t estimate, uint64_t margin)
{
	double off = (double)estimate - truth[figure];

	sum[figure] += off;
	square[figure] += off * off;
	held[figure] += fabs(off) <= (double)margin;
}

static bool is_third(struct heap *heap, uint32_t stack)
{
	struct stack_frame frame;

	return stack_frames(heap, stack, &frame, 1) && frame.pc == 0x400120;
}

static void see_site(struct heap *heap)
{
	struct heap_site site = { .allocs = 0 };

	for (uint32_t i = 0; i < site_count(heap); i++) {
		site_get(heap, i, &site);
		if (is_third(heap, site.stack))
			break;
	}
	see(SITE, site.allocs, site.margin.allocs);
	see(SITE_BYTES, site.alloc_bytes, site.margin.alloc_bytes);
	see(SITE_LIVE, site.leaked_bytes, site.margin.leaked_bytes);
}

static void see_selection(struct heap *heap)
{
	struct selection *s = select_new(heap);
	struct select_sums sums;
	struct heap_site site;
	struct select_group g;

	select_groups(s, true);
	while (!select_step(s, 100000))
		;
	for (size_t i = 0; i < select_group_count(s); i++) {
		select_group_at(s, i, &g);
		site_get(heap, g.site, &site);
		if (is_third(heap, site.stack))
			see(GROUP_BYTES, g.bytes, g.margin.alloc_bytes);
	}
	select_sums(s, &sums);
	see(BAR, sums.histogram[1].count, sums.histogram_margin[1].count);
	select_free(s);
}

static void see_all(struct heap *heap)
{
	struct heap_totals t;
	struct heap_thread thread;

	heap_totals(heap, HEAP_BLOCKS, &t);
	see(ALLOCS, t.allocs, t.margin.allocs);
	see(BYTES, t.alloc_bytes, t.margin.alloc_bytes);
	see(LIVE, t.live, t.margin.live);
	see(LIVE_BYTES, t.leaked_bytes, t.margin.leaked_bytes);
	see(FREED_BYTES, t.freed_bytes, t.margin.freed_bytes);
	see(PEAK_BYTES, t.peak_bytes, t.margin.peak_bytes);
	thread_get(heap, 1, &thread);
	see(THREAD_BYTES, thread.alloc_bytes, thread.margin.alloc_bytes);
	see_site(heap);
	see_selection(heap);
}

/* The mean of many estimates is the truth, as far as so many can tell (4 standard errors: one in
 * 16,000), but for the peak, which is the highest of many noisy figures. */
static void test_unbiased(void)
{
	for (unsigned i = 0; i < FIGURES; i++) {
		double mean = sum[i] / TRIALS, error = sqrt((square[i] / TRIALS - mean * mean) / TRIALS);

		if (i == PEAK_BYTES)
			ok(mean > -4 * error && mean < truth[i] / 50, "%s: at most a little above the truth", names[i]);
		else
			ok(fabs(mean) < 4 * error, "%s: %.4g on the average, of %.6g (one standard error: %.3g)",
			   names[i], mean, truth[i], error);
		ok(error > 0, "%s: estimates differ", names[i]);
	}
}

static void test_coverage(void)
{
	for (unsigned i = 0; i < FIGURES; i++)
		ok(held[i] >= TRIALS * 92 / 100 && held[i] <= TRIALS * 98 / 100,
		   "%s: the truth is within the margin in %.1f %% of the trials", names[i], 100.0 * held[i] / TRIALS);
}

/* What comes and goes leaves nothing behind, whatever the weights are. */
/* A node of a tree is as sure as what is below it: here one call site. */
static void test_tree(void)
{
	struct heap *heap = sample();
	struct selection *s = select_new(heap);
	struct calltree *t = calltree_new(s, CALLTREE_DOWN);
	struct select_sums sums;
	struct heap_margin m;
	unsigned good = 0, nodes = 0;

	select_groups(s, true);
	while (!(select_step(s, 100000) & calltree_step(t, 7)))
		;
	select_sums(s, &sums);
	calltree_margin(t, CALLTREE_ROOT, &m);
	ok(m.allocs && m.allocs == sums.margin.allocs && m.alloc_bytes == sums.margin.alloc_bytes &&
	   m.live_bytes == sums.margin.leaked_bytes, "the root of a tree is as sure as all that is selected");
	for (uint32_t n = calltree_first_child(t, CALLTREE_ROOT); n != HEAP_NONE; n = calltree_next_sibling(t, n)) {
		struct amounts a;

		calltree_amounts(t, n, &a);
		calltree_margin(t, n, &m);
		nodes++;
		for (size_t i = 0; i < select_group_count(s); i++) {
			struct select_group g;

			select_group_at(s, i, &g);
			good += g.bytes == a.bytes && g.margin.alloc_bytes == m.alloc_bytes &&
				g.margin.peak_bytes == m.peak_bytes && g.margin.leaked == m.leaked;
		}
	}
	ok(nodes > 1 && good == nodes, "each of %u nodes as its call site", nodes);
	calltree_cost(t, COST_PEAK, false);
	calltree_margin(t, CALLTREE_ROOT, &m);
	is_int(calltree_margin_of(t, CALLTREE_ROOT), m.peak_bytes, "the margin of the cost is that of the peak");
	calltree_free(t);
	select_free(s);
	heap_free(heap);
}

static void test_exactly_undone(void)
{
	struct heap_totals t;
	struct heap *heap;
	struct build b;

	build_init(&b);
	build_fact(&b, "sample", "777");
	for (unsigned i = 0; i < 3000; i++)
		build_event(&b, 1, OP_MALLOC, 0x1000 + 16 * i, build_random(3000));
	for (unsigned i = 0; i < 3000; i++)
		build_event(&b, 2, OP_FREE, 0x1000 + 16 * i, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	heap_totals(heap, HEAP_BLOCKS, &t);
	is_int(t.live, 0, "no block is left");
	is_int(t.live_bytes, 0, "no byte");
	is_int(t.frees, t.allocs, "as many were freed as were made");
	is_int(t.freed_bytes, t.alloc_bytes, "as many bytes");
	is_int(t.margin.live, 0, "and no doubt about the rest");
	is_int(t.margin.live_bytes, 0, "nor of its bytes");
	is_int(t.margin.frees, t.margin.allocs, "what was freed is as sure as what was made");
	ok(t.allocs > 3000, "blocks stand for more than themselves");
	is_int(t.temporary, 0, "samples do not tell what is temporary");
	heap_free(heap);
}

static void test_weights(void)
{
	struct heap_totals t;
	struct heap *heap;
	struct build b;

	build_init(&b);
	build_fact(&b, "sample", "1000");
	build_event(&b, 1, OP_MALLOC, 0x1000, 0);
	build_event(&b, 1, OP_MALLOC, 0x2000, 1);
	build_event(&b, 1, OP_MALLOC, 0x3000, 1000000);
	build_event(&b, 1, OP_MMAP, 0x100000, 4096);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	heap_totals(heap, HEAP_BLOCKS, &t);
	is_int(t.allocs, 2002, "1000.5 blocks of at most a byte each, and a large one");
	is_int(t.alloc_bytes, 1001001, "their bytes");
	is_int(t.margin.allocs, 2772, "1.96 times the root of twice 999,500");
	heap_totals(heap, HEAP_PAGES, &t);
	is_int(t.allocs, 1, "pages are not sampled");
	is_int(t.live_bytes, 4096, "nor are theirs estimates");
	is_int(t.margin.allocs, 0, "so there is no doubt");
	heap_free(heap);
}

static void test_late(void)
{
	struct heap_totals t;
	struct heap *heap;
	struct build b;

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_sync(&b);
	build_fact(&b, "sample", "1000");
	build_event(&b, 1, OP_MALLOC, 0x2000, 10);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	heap_totals(heap, HEAP_BLOCKS, &t);
	is_int(t.allocs, 2, "a fact that comes too late changes no books");
	is_int(heap_note_count(heap), 1, "and that is said");
	heap_free(heap);
}

static void put_counters(struct build *b, uint32_t thread, uint64_t stamp, const struct trace_counter *cells,
	uint32_t count)
{
	struct trace_counters counters = { thread, stamp, count, cells };

	ok(!trace_put_counters(&b->out, &counters), "counters are encoded");
}

static void test_exact(void)
{
	static const struct trace_counter first[] = { { OP_MALLOC, 0, 10, 100 }, { OP_FREE, 0, 5, 0 } };
	static const struct trace_counter newer[] = {
		{ OP_MALLOC, 0, 30, 300 }, { OP_MALLOC, 2, 1, 200 }, { OP_FREE, 0, 7, 0 },
		{ OP_REALLOC_FREE, 0, 2, 0 }, { OP_MMAP, 5, 1, 8192 },
	};
	static const struct trace_counter other[] = { { OP_MALLOC, 0, 1, 8 } };
	struct heap_exact exact;
	struct heap *heap;
	struct build b;
	uint64_t bytes;

	build_init(&b);
	build_fact(&b, "sample", "1000");
	build_thread(&b, 1, "main");
	build_thread(&b, 2, "worker");
	put_counters(&b, 1, 100, first, 2);
	put_counters(&b, 1, 900, newer, 5);
	put_counters(&b, 1, 500, first, 2);
	put_counters(&b, 2, 700, other, 1);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	ok(heap_exact(heap, HEAP_NONE, &exact), "exact counts are known");
	is_int(exact.allocs, 32, "blocks, of the newest record of each thread");
	is_int(exact.alloc_bytes, 508, "bytes");
	is_int(exact.frees, 9, "frees, those of realloc too");
	is_int(exact.maps, 1, "mappings apart");
	is_int(exact.map_bytes, 8192, "and their bytes");
	heap_exact(heap, 1, &exact);
	is_int(exact.allocs, 1, "of one thread");
	is_int(heap_exact_cell(heap, OP_MALLOC, 0, &bytes), 31, "of one function and size");
	is_int(bytes, 308, "in bytes");
	is_int(heap_exact_cell(heap, OP_CALLOC, 0, NULL), 0, "of one that was not called");
	heap_free(heap);
}

int main(void)
{
	test_tree();
	count_truth();
	for (unsigned i = 0; i < TRIALS; i++) {
		struct heap *heap = sample();

		see_all(heap);
		heap_free(heap);
	}
	test_unbiased();
	test_coverage();
	test_exactly_undone();
	test_weights();
	test_late();
	test_exact();
	return done_testing();
}
