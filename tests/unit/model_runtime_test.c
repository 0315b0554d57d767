/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C runtime's own blocks: no leaks, wherever leaks are counted or shown. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/select.h"
#include "model/threads.h"

#define LIBC	0x7f0000000000u
#define APP	0x400000u

enum { MAIN = 8, STDIO, PUTS, STRDUP };	/* stacks: main; doallocate < puts < main; strdup < main */

static void build_names(struct build *b)
{
	build_symbol(b, 1, 0x1000, 10, "main", "app.c", 1);
	build_symbol(b, 2, 0x1000, 20, "_IO_file_doallocate", "", 0);
	build_symbol(b, 2, 0x2000, 30, "puts", "", 0);
	build_symbol(b, 2, 0x3000, 40, "strdup", "", 0);
}

/* Two threads; each leaves a block of its own, two frees one more, one leaves stdio's buffer. */
static void build_program(struct build *b)
{
	build_init(b);
	build_module(b, 1, APP, "/bin/app");
	build_module(b, 2, LIBC, "/lib/libc.so.6");
	build_node(b, MAIN, 1, APP + 0x1000);
	build_node(b, PUTS, MAIN, LIBC + 0x2000);
	build_node(b, STDIO, PUTS, LIBC + 0x1000);
	build_node(b, STRDUP, MAIN, LIBC + 0x3000);
	build_thread(b, 1, "one");
	build_thread(b, 2, "two");
	build_stack_event(b, 1, OP_MALLOC, 0x1000, 1024, STDIO);
	build_stack_event(b, 1, OP_MALLOC, 0x2000, 10, STRDUP);
	build_stack_event(b, 2, OP_MALLOC, 0x3000, 20, MAIN);
	build_stack_event(b, 2, OP_MALLOC, 0x4000, 40, MAIN);
	build_stack_event(b, 2, OP_FREE, 0x4000, 0, MAIN);
	build_stack_event(b, 1, OP_MMAP, 0x10000, 8192, MAIN);
	build_sync(b);
}

static struct heap *program(void)
{
	struct build b;

	build_program(&b);
	build_names(&b);
	build_end(&b, TRACE_END_EXIT, 0);
	return build_heap(&b);
}

static void test_records(void)
{
	struct heap *heap = program();
	struct block_record r[4];

	for (uint32_t i = 0; i < 4; i++)
		block_get(heap, i, &r[i]);
	ok(r[0].state == BLOCK_LEAKED && r[0].runtime, "stdio's buffer is the runtime's");
	ok(r[1].state == BLOCK_LEAKED && !r[1].runtime, "what strdup made is the program's");
	ok(r[2].state == BLOCK_LEAKED && !r[2].runtime, "so is what it made itself");
	ok(r[3].state == BLOCK_FREED && !r[3].runtime, "a freed block is just freed");
	heap_free(heap);
}

static void test_selection(void)
{
	struct heap *heap = program();
	struct selection *s = select_new(heap);
	struct select_filter filter = SELECT_FILTER_INIT;
	struct select_sums sums;

	while (!select_step(s, 100))
		;
	select_sums(s, &sums);
	is_int(select_count(s), 5, "all records are there");
	ok(sums.leaked == 3 && sums.leaked_bytes == 30 + 8192, "three of them leaked");
	ok(sums.runtime == 1 && sums.runtime_bytes == 1024, "one is the runtime's");
	filter.state = SELECT_LEAKS;
	select_filter(s, &filter);
	while (!select_step(s, 100))
		;
	is_int(select_count(s), 3, "the leaks are without it");
	select_free(s);
	heap_free(heap);
}

static struct heap_thread sum_of_threads(const struct heap *heap)
{
	struct heap_thread sum = { 0 }, t;

	for (uint32_t i = 0; i < thread_count(heap); i++) {
		thread_get(heap, i, &t);
		sum.allocs += t.allocs;
		sum.alloc_bytes += t.alloc_bytes;
		sum.frees += t.frees;
		sum.freed_bytes += t.freed_bytes;
		sum.live += t.live;
		sum.live_bytes += t.live_bytes;
		sum.leaked += t.leaked;
		sum.leaked_bytes += t.leaked_bytes;
	}
	return sum;
}

static bool threads_agree(struct heap *heap)
{
	struct heap_thread sum = sum_of_threads(heap);
	struct heap_totals t;

	heap_totals(heap, HEAP_BLOCKS, &t);
	return sum.allocs == t.allocs && sum.alloc_bytes == t.alloc_bytes && sum.frees == t.frees &&
	       sum.freed_bytes == t.freed_bytes && sum.live == t.live && sum.live_bytes == t.live_bytes &&
	       sum.leaked == t.leaked && sum.leaked_bytes == t.leaked_bytes;
}

static void test_threads(void)
{
	struct heap *heap = program();
	uint32_t order[2];
	struct heap_thread t;

	ok(threads_agree(heap), "the threads sum up to the heap");
	thread_get(heap, 0, &t);
	ok(t.leaked == 1 && t.leaked_bytes == 10, "stdio's buffer is no leak of its thread");
	ok(t.live == 2 && t.live_bytes == 1034, "but was not freed");
	ok(t.maps == 1 && t.map_bytes == 8192 && t.live_maps == 1, "pages are apart");
	thread_get(heap, 1, &t);
	ok(t.frees == 1 && t.leaked == 1 && !t.maps, "nor are they another thread's");
	thread_sort(heap, THREAD_BY_LEAKS, false, order);
	is_int(order[0], 1, "sorted by what is leaked without the runtime's");
	heap_free(heap);
}

/* One more chunk of a file: what was built since the last. */
static void feed_more(struct heap *heap, struct store_writer *w, int fd, struct build *b)
{
	uint64_t before = store_written(w);
	struct buffer bytes = BUFFER_INIT;

	store_put(w, b->out.data, b->out.length, 1, b->stamp, b->events);
	store_flush(w);
	b->out.length = 0;
	before = heap_generation(heap) ? before : 0; /* the file's head goes with the first */
	buffer_reserve(&bytes, store_written(w) - before);
	bytes.length = (size_t)pread(fd, bytes.data, store_written(w) - before, (off_t)before);
	heap_feed(heap, bytes.data, bytes.length);
	buffer_release(&bytes);
}

static void test_late_names(void)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct store_writer *w = store_writer_new(fd);
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	struct select_filter filter = { .state = SELECT_LEAKS, .thread = HEAP_NONE, .site = HEAP_NONE };
	struct selection *s = select_new(heap);
	struct build b;

	select_filter(s, &filter);
	build_program(&b);
	build_event(&b, 1, OP_EXIT, 0, 0);
	build_sync(&b);
	feed_more(heap, w, fd, &b);
	while (!select_step(s, 100))
		;
	is_int(select_count(s), 3, "without names, all that an ended thread left is leaked");
	ok(threads_agree(heap), "for the threads too");
	build_names(&b);
	feed_more(heap, w, fd, &b);
	while (!select_step(s, 100))
		;
	is_int(select_count(s), 2, "with names, the runtime's is not");
	ok(threads_agree(heap), "for the threads too");
	b.out.length = 0;
	build_stack_event(&b, 1, OP_MALLOC, 0x9000, 100, STDIO);
	build_stack_event(&b, 1, OP_FREE, 0x1000, 0, MAIN);
	build_sync(&b);
	feed_more(heap, w, fd, &b);
	ok(threads_agree(heap), "and when the runtime makes and frees more");
	select_free(s);
	heap_free(heap);
	store_writer_free(w);
	close(fd);
	free(b.out.data);
}

int main(void)
{
	test_records();
	test_selection();
	test_threads();
	test_late_names();
	return done_testing();
}
