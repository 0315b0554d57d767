/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of the books: one small trace for each. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"
#include "model/timeline.h"

static struct heap_totals totals_of(struct heap *heap, enum heap_class which)
{
	struct heap_totals totals;

	heap_totals(heap, which, &totals);
	return totals;
}

static struct heap_status status_of(const struct heap *heap)
{
	struct heap_status status;

	heap_status(heap, &status);
	return status;
}

static struct block_record record_of(const struct heap *heap, uint32_t id)
{
	struct block_record record;

	block_get(heap, id, &record);
	return record;
}

static struct heap_thread thread_of(const struct heap *heap, uint32_t index)
{
	struct heap_thread thread;

	thread_get(heap, index, &thread);
	return thread;
}

static uint64_t thread_total(struct heap *heap, uint32_t id)
{
	struct scan *scan = scan_all(scan_of_total(heap, id));
	uint64_t total = scan_total(scan);

	scan_free(scan);
	return total;
}

static void test_alloc_free(void)
{
	struct build b;
	struct heap *heap;
	struct heap_totals t;
	struct block_record r;

	build_init(&b);
	build_thread(&b, 1, "main");
	build_event(&b, 1, OP_MALLOC, 0x1000, 100);
	build_event(&b, 1, OP_CALLOC, 0x2000, 50);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_MALLOC, 0, 77);
	build_event(&b, 1, OP_MALLOC, UINT64_MAX, 77);
	build_event(&b, 1, OP_MALLOC, 0x3000, 0);
	build_end(&b, TRACE_END_EXIT, 3);
	heap = build_heap(&b);
	t = totals_of(heap, HEAP_BLOCKS);
	is_int(t.allocs, 3, "failed allocations are none");
	is_int(t.alloc_bytes, 150, "bytes allocated");
	is_int(t.frees, 1, "frees");
	is_int(t.leaked, 2, "leaked blocks, one of 0 bytes");
	is_int(t.leaked_bytes, 50, "leaked bytes");
	is_int(t.peak_bytes, 150, "peak");
	is_int(status_of(heap).end, HEAP_EXITED, "exited");
	is_int(status_of(heap).end_value, 3, "exit status");
	ok(!status_of(heap).damaged, "not damaged");
	is_int(block_count(heap), 3, "records");
	r = record_of(heap, 0);
	is_int(r.state, BLOCK_FREED, "first is freed");
	is_int(r.age_ns, 200 * BUILD_NS_PER_QUANTUM, "lifetime in ns");
	is_int(r.ptr, 0x1000, "pointer");
	is_string(heap_op_label(r.op), "malloc", "op");
	is_string(heap_op_label(r.free_op), "free", "free op");
	is_int(record_of(heap, 1).state, BLOCK_LEAKED, "second is leaked");
	is_int(thread_total(heap, 0), 100, "thread's total");
	is_int(thread_total(heap, 1), 150, "further on");
	is_int(thread_total(heap, 1), 150, "once more");
	is_int(thread_total(heap, 0), 100, "and back");
	heap_free(heap);
}

static void test_realloc(void)
{
	struct build b;
	struct heap *heap;
	struct heap_totals t;

	build_init(&b);
	build_event(&b, 1, OP_REALLOC, 0x1000, 1000000);
	build_event(&b, 1, OP_REALLOC_FREE, 0x1000, 0);
	build_event(&b, 1, OP_REALLOC, 0x900000, 2000000);
	build_event(&b, 1, OP_REALLOC_FREE, 0x900000, 0);
	build_event(&b, 1, OP_REALLOC, 0x900000, 789);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	t = totals_of(heap, HEAP_BLOCKS);
	is_int(t.peak_bytes, 2000000, "old and new block of a realloc are never both there");
	is_int(t.leaked, 1, "one block left");
	is_int(t.leaked_bytes, 789, "of the last size");
	is_int(status_of(heap).implied_frees, 0, "in place is no displacement");
	heap_free(heap);
}

static void test_threads(void)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_thread(&b, 1, "main");
	build_thread(&b, 2, "worker");
	build_event(&b, 2, OP_MALLOC, 0x1000, 10);
	build_event(&b, 2, OP_MALLOC, 0x2000, 20);
	build_event(&b, 2, OP_MALLOC, 0x3000, 30);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 2, OP_EXIT, 0, 60);
	build_event(&b, 1, OP_FREE, 0x2000, 0);
	build_sync(&b);
	heap = NULL;
	{
		struct buffer file = BUFFER_INIT;

		build_file(&b, &file);
		heap = build_feed(file.data, file.length, 7, true);
		buffer_release(&file);
	}
	is_int(thread_of(heap, 1).leaked, 1, "leaked at once when its thread exits, less later frees");
	is_int(totals_of(heap, HEAP_BLOCKS).leaked_bytes, 30, "in the totals too, while it runs");
	is_int(record_of(heap, 2).state, BLOCK_LEAKED, "record is leaked");
	is_int(record_of(heap, 1).state, BLOCK_FREED, "a free after the exit cancels the leak");
	is_int(thread_of(heap, 1).freed_bytes, 30, "freed belongs to the allocating thread");
	is_int(thread_of(heap, 1).freed_by_others, 2, "both by another");
	is_int(thread_of(heap, 0).freed_for_others, 2, "which knows it");
	is_int(thread_of(heap, 0).live_bytes, 0, "net of the freeing thread is not negative");
	is_int(thread_of(heap, 1).reported_bytes, 60, "EXIT's total");
	is_string(thread_of(heap, 1).name, "worker", "name");
	heap_free(heap);
	free(b.out.data);
}

static void test_verdicts(void)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_sync(&b);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked, 0, "no end record: nothing is leaked");
	is_int(record_of(heap, 0).state, BLOCK_ACTIVE, "but live");
	ok(status_of(heap).damaged && heap_note_count(heap), "and that is said");
	heap_free(heap);

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_end(&b, TRACE_END_SIGNAL, 9);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked, 1, "killed, with an end record: leaked");
	heap_free(heap);

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_end(&b, TRACE_END_DETACH, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked, 0, "detached: live");
	heap_free(heap);
}

static void test_exec(void)
{
	struct trace_exec exec = { 0, trace_string("/bin/true") };
	struct build b;
	struct heap *heap;
	struct heap_totals t;

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_event(&b, 1, OP_MMAP, 0x10000, 8192);
	exec.stamp = b.stamp += 100;
	trace_put_exec(&b.out, &exec);
	build_event(&b, 1, OP_MALLOC, 0x1000, 7);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	t = totals_of(heap, HEAP_BLOCKS);
	is_int(t.gone, 1, "exec: the block is gone");
	is_int(t.leaked_bytes, 7, "only the new program's leaks count");
	is_int(totals_of(heap, HEAP_PAGES).gone_bytes, 8192, "pages too");
	is_int(record_of(heap, 0).state, BLOCK_GONE, "its record says so");
	is_int(status_of(heap).implied_frees, 0, "the same address again is nothing special");
	heap_free(heap);
}

/* Stamps of two threads in the wrong order, by 3 quanta. */
static void test_repair(void)
{
	struct build b;
	struct heap *heap;
	struct heap_status s;
	struct block_record r;

	build_init(&b);
	build_fact(&b, "method", "preload");
	build_at(&b, 1, 1000, OP_MALLOC, 0x1000, 10, 0);
	build_at(&b, 2, 2000, OP_MALLOC, 0x1000, 20, 0);
	build_at(&b, 1, 2003, OP_FREE, 0x1000, 0, 0);
	build_at(&b, 1, 9000, OP_MALLOC, 0x2000, 1, 0);
	b.stamp = 10000;
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked_bytes, 21, "a late free is the displaced block's");
	is_int(totals_of(heap, HEAP_BLOCKS).peak_bytes, 21, "which never lives beside the new one");
	r = record_of(heap, 0);
	ok(r.state == BLOCK_FREED && r.free_thread == 0 && r.free_op == OP_FREE, "its record knows by whom");
	s = status_of(heap);
	ok(!s.implied_frees && !s.unknown_frees, "nothing is left unexplained");
	heap_free(heap);

	build_init(&b);
	build_fact(&b, "method", "preload");
	build_at(&b, 1, 1000, OP_FREE, 0x1000, 0, 0);
	build_at(&b, 2, 1003, OP_MALLOC, 0x1000, 20, 0);
	b.stamp = 10000;
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked, 0, "a free that seems to come before its block");
	is_int(record_of(heap, 0).state, BLOCK_FREED, "frees it");
	is_int(status_of(heap).unknown_frees, 0, "and is not unknown");
	heap_free(heap);

	build_init(&b);
	build_fact(&b, "method", "preload");
	build_at(&b, 1, 1000, OP_MALLOC, 0x1000, 10, 0);
	build_at(&b, 2, 2000, OP_MALLOC, 0x1000, 20, 0);
	build_at(&b, 2, 2003, OP_FREE, 0x1000, 0, 0);
	build_at(&b, 1, 3000, OP_FREE, 0x5000, 0, 0);
	build_at(&b, 1, 3003, OP_MALLOC, 0x5000, 5, 0);
	b.stamp = 10000;
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked_bytes, 5, "one thread's own order is certain");
	is_int(status_of(heap).implied_frees, 1, "the lost free is counted");
	is_int(status_of(heap).unknown_frees, 1, "the unknown one too");
	heap_free(heap);
}

static void test_wrong_frees(void)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_fact(&b, "method", "preload");
	build_event(&b, 1, OP_NEW, 0x1000, 10);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_FREE, 0x7000, 0);
	build_event(&b, 1, OP_FREE, 0, 0);
	build_event(&b, 1, OP_MEMALIGN, 0x2000, 10);
	build_event(&b, 1, OP_REALLOC_FREE, 0x2000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(status_of(heap).mismatched_frees, 1, "new and free do not match");
	ok(record_of(heap, 0).mismatched, "the record says so");
	is_int(status_of(heap).unknown_frees, 2, "unknown frees");
	is_int(status_of(heap).double_frees, 1, "one of them a double free");
	heap_free(heap);
}

static void test_temporary(void)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_event(&b, 2, OP_MALLOC, 0x5000, 10);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_event(&b, 1, OP_MALLOC, 0x2000, 10);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_FREE, 0x5000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).temporary, 1, "temporary: no allocation of the thread between");
	is_int(thread_of(heap, 0).temporary, 1, "per thread");
	heap_free(heap);
}

static void test_peak(void)
{
	struct build b;
	struct heap *heap;
	struct heap_site site;
	uint64_t sum = 0, blocks = 0;
	uint32_t top;

	build_init(&b);
	build_module(&b, 1, 0x400000, "/bin/app");
	build_node(&b, 8, 1, 0x401000);
	build_node(&b, 9, 1, 0x402000);
	for (uint32_t i = 0; i < 8; i++)
		build_stack_event(&b, 1, OP_MALLOC, 0x100000 * (i + 1), 1000000, 8);
	for (uint32_t i = 0; i < 8; i++)
		build_stack_event(&b, 1, OP_FREE, 0x100000 * (i + 1), 0, 0);
	for (uint32_t i = 0; i < 50; i++)
		build_stack_event(&b, 1, OP_MALLOC, 0x9000000 + 0x1000 * i, 100000, 9);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap, HEAP_BLOCKS).peak_bytes, 8000000, "peak bytes");
	is_int(totals_of(heap, HEAP_BLOCKS).peak, 8, "peak blocks");
	for (uint32_t i = 0; i < site_count(heap); i++) {
		site_get(heap, i, &site);
		sum += site.peak_bytes;
		blocks += site.peak;
	}
	is_int(sum, 8000000, "the sites' parts make up the peak");
	is_int(blocks, 8, "and its blocks");
	is_int(site_top(heap, SITE_BY_PEAK, HEAP_BLOCKS, false, &top, 1), 1, "a top site");
	site_get(heap, top, &site);
	is_int(site.peak_bytes, 8000000, "is the one that made it");
	is_int(site.live, 0, "though all of it is gone");
	heap_free(heap);
}

#define P 4096u
static void test_pages(void)
{
	struct build b;
	struct heap *heap;
	uint64_t a = 0x7f0000000000, d = 0x7f1000000000;
	struct heap_totals t;
	uint64_t live = 0;

	build_init(&b);
	build_event(&b, 1, OP_MMAP, a, 100 * P);
	build_event(&b, 1, OP_MUNMAP, a + 10 * P, 20 * P);
	build_event(&b, 1, OP_MUNMAP, a + 5 * P, 10 * P);
	build_event(&b, 1, OP_MUNMAP, a + 90 * P, 1);
	build_event(&b, 1, OP_MMAP, a + 40 * P, 10 * P);
	build_event(&b, 1, OP_MMAP, a + 10 * P, 3 * P);
	build_event(&b, 1, OP_MMAP, d, 10 * P + 5);
	build_event(&b, 1, OP_MREMAP_UNMAP, d, 11 * P);
	build_event(&b, 1, OP_MREMAP, d, 30 * P);
	build_event(&b, 1, OP_MREMAP_UNMAP, d, 30 * P);
	build_event(&b, 1, OP_MREMAP, d, 7 * P);
	build_event(&b, 1, OP_MUNMAP, d + 1, P);
	build_event(&b, 1, OP_MMAP, d + 1000 * P, 4 * P);
	build_event(&b, 1, OP_MREMAP_UNMAP, d + 1000 * P, 0);
	build_event(&b, 1, OP_MREMAP, d + 2000 * P, 4 * P);
	build_inner(&b, 1, OP_MMAP, d + 5000 * P, 64 * P);
	build_inner(&b, 1, OP_MUNMAP, d + 5000 * P, 16 * P);
	build_event(&b, 1, OP_SBRK, 0x600000, 100);
	build_event(&b, 1, OP_BRK_UNMAP, 0x600000 + 60, 40);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	t = totals_of(heap, HEAP_PAGES);
	is_int(t.live_bytes, 92 * P + 60, "partial, overlapping, rounded, fixed, moved: 92 pages (and a break)");
	is_int(totals_of(heap, HEAP_INNER).live_bytes, 48 * P, "the allocator's own pages apart");
	is_int(totals_of(heap, HEAP_BLOCKS).allocs, 0, "no blocks");
	for (uint32_t i = 0; i < block_count(heap); i++)
		if (record_of(heap, i).state == BLOCK_LEAKED)
			live += record_of(heap, i).size;
	is_int(live, t.live_bytes, "records and totals agree");
	is_int(thread_of(heap, 0).live_map_bytes, t.live_bytes, "and the thread");
	is_int(thread_of(heap, 0).live_maps, t.live, "in ranges too");
	heap_free(heap);
}

static void test_stacks(void)
{
	struct build b;
	struct heap *heap;
	struct stack_frame f[4];
	struct buffer text = BUFFER_INIT;

	build_init(&b);
	build_module(&b, 1, 0x400000, "/bin/app");
	build_node(&b, 8, 1, 0x401000);
	build_node(&b, 9, 8, 0x402000);
	build_node(&b, 10, 8, 0x402000);
	build_node(&b, 11, 2, 0x402000);
	build_stack_event(&b, 1, OP_MALLOC, 0x1000, 1, 9);
	build_stack_event(&b, 1, OP_MALLOC, 0x2000, 1, 10);
	build_stack_event(&b, 1, OP_MALLOC, 0x3000, 1, 11);
	build_stack_event(&b, 1, OP_MALLOC, 0x4000, 1, 999);
	build_symbol(&b, 1, 0x1000, 1, "main", "/src/main.c", 12);
	build_symbol(&b, 1, 0x2000, 3, "_ZN3foo3barEv", "/src/foo.c", 7);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(record_of(heap, 0).stack, record_of(heap, 1).stack, "duplicate nodes are one");
	ok(record_of(heap, 0).stack != record_of(heap, 2).stack, "a cut stack is another");
	is_int(site_count(heap), 3, "three sites");
	is_int(stack_frames(heap, record_of(heap, 0).stack, f, 4), 2, "two frames");
	is_string(f[0].function, "foo::bar()", "innermost first, demangled");
	is_string(f[1].file, "/src/main.c", "file");
	is_int(f[1].line, 12, "line");
	is_int(stack_frames(heap, record_of(heap, 3).stack, f, 4), 0, "an unknown id has no frames");
	ok(stack_cut_reason(heap, record_of(heap, 2).stack) != NULL, "cut stacks say why");
	ok(stack_cut_reason(heap, record_of(heap, 0).stack) == NULL, "whole ones do not");
	stack_frame_print(&f[1], true, &text);
	is_string(buffer_text(&text), "main (main.c:12)", "as text");
	buffer_release(&text);
	heap_free(heap);
}

static void test_modules(void)
{
	struct trace_module_end gone = { 1, 1, 0 };
	struct trace_module again = {
		.module = 2, .epoch = 1, .start = 0x500000, .end = 0x600000, .bias = 0x500000,
		.path = trace_string("/lib/b.so"),
	};
	struct trace_stack_node node = { 9, 1, 0, 0x501000 | 1ull << 48 };
	struct build b;
	struct heap *heap;
	struct stack_frame f;

	build_init(&b);
	build_module(&b, 1, 0x500000, "/lib/a.so");
	build_node(&b, 8, 1, 0x501000);
	trace_put_module_end(&b.out, &gone);
	trace_put_module(&b.out, &again);
	trace_put_stacks(&b.out, &node, 1);
	build_stack_event(&b, 1, OP_MALLOC, 0x1000, 1, 8);
	build_stack_event(&b, 1, OP_MALLOC, 0x2000, 1, 9);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	stack_frames(heap, record_of(heap, 0).stack, &f, 1);
	is_string(f.module, "/lib/a.so", "an unloaded library keeps its frames");
	stack_frames(heap, record_of(heap, 1).stack, &f, 1);
	is_string(f.module, "/lib/b.so", "another one at its address gets the later ones");
	heap_free(heap);
}

static void test_losses_and_rss(void)
{
	struct trace_lost lost = { 1, 0, 5 };
	struct trace_rss rss = { 0, 1000, 800, 150, 0, 0, 50 };
	struct trace_child child = { 42, trace_string("sh") };
	struct timeline_cell cells[100];
	struct timeline_rss peak;
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 500000);
	rss.stamp = b.stamp + 10;
	trace_put_rss(&b.out, &rss);
	build_event(&b, 1, OP_MALLOC, 0x2000000, 500000);
	trace_put_lost(&b.out, &lost);
	trace_put_child(&b.out, &child);
	build_fact(&b, "command", "./app");
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(status_of(heap).lost, 5, "lost events are counted");
	ok(status_of(heap).inexact, "and make totals inexact");
	is_int(thread_of(heap, 0).lost, 5, "per thread");
	ok(timeline_rss_peak(heap, &peak), "there is an RSS sample");
	is_int(peak.live_blocks, 500000, "with what was alive at its moment");
	is_int(peak.rss, 1000 * 1024, "in bytes");
	timeline_heap(heap, cells, 100);
	is_int(cells[99].live_bytes, 1000000, "the timeline ends with what is live");
	is_int(cells[95].live_bytes, 500000, "and knows what was before");
	is_int(cells[80].live_bytes, 0, "from the beginning");
	is_string(heap_fact(heap, "command"), "./app", "a fact");
	is_int(heap_child_count(heap), 1, "a child");
	heap_free(heap);
}

int main(void)
{
	test_alloc_free();
	test_realloc();
	test_threads();
	test_verdicts();
	test_exec();
	test_repair();
	test_wrong_frees();
	test_temporary();
	test_peak();
	test_pages();
	test_stacks();
	test_modules();
	test_losses_and_rss();
	return done_testing();
}
