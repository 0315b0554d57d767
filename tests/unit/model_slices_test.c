/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A heap that is stopped all the time, and goes on, comes to the same figures as one that is not. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/footprint.h"
#include "model/report.h"
#include "model/sites.h"
#include "model/threads.h"
#include "trace/resident.h"

#define THREADS		6u
#define BLOCKS		60000u	/* alive: beyond what a query walks over by itself */
#define STACKS		40u
#define HEAP_START	0x10000000ull
#define BLOCK_SPACE	256u
#define WITHOUT_SYNC	1100000u /* more than may wait */
#define MAPPED		0x7f0000000000ull
#define CHUNK_BYTES	100000u
#define PIECE		60000u

struct writer {
	struct build b;
	struct store_writer *store;
	int fd;
};

static unsigned stops, asked;

static bool stop_always(void *of)
{
	(void)of;
	asked++;
	return true;
}

static void flush(struct writer *w)
{
	store_put(w->store, w->b.out.data, w->b.out.length, 1, w->b.stamp, w->b.events);
	w->b.out.length = 0;
}

static void put(struct writer *w, uint32_t thread, uint8_t op, uint64_t ptr, uint64_t size)
{
	uint32_t stack = op == OP_FREE || op == OP_EXIT ? 0 : 8 + (uint32_t)build_random(STACKS);

	/* Stamps of threads are equal at times, and then the order of queues decides. */
	w->b.stamp += build_random(3);
	build_at(&w->b, thread, w->b.stamp, op, ptr, size, stack);
	if (w->b.out.length > CHUNK_BYTES)
		flush(w);
}

static uint64_t place(uint64_t index)
{
	return HEAP_START + index * BLOCK_SPACE;
}

/* Pages of the heap as the kernel would have them, every other run absent. */
static void put_resident(struct writer *w)
{
	static uint8_t bytes[65536];
	struct trace_out out = { bytes, 0, sizeof(bytes) };
	struct resident_pack pack = { .out = &out };
	uint64_t pages = BLOCKS * BLOCK_SPACE / 4096;
	struct trace_resident r = { .stamp = w->b.stamp, .page = 4096, .count = 1 };

	resident_pack_map(&pack, &(struct resident_map){ HEAP_START / 4096, pages, 0 });
	for (uint64_t at = 0; at < pages; at += 5)
		resident_pack_run(&pack, at % 2, pages - at < 5 ? pages - at : 5);
	resident_pack_end(&pack);
	r.packed = (struct trace_string){ (const char *)bytes, out.length };
	trace_put_resident(&w->b.out, &r);
}

static void put_some(struct writer *w, uint64_t from, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint32_t thread = 1 + (uint32_t)build_random(THREADS);

		put(w, thread, OP_MALLOC, place(from + i), build_random(BLOCK_SPACE));
		if (i % 3 == 0)
			put(w, 1 + (uint32_t)build_random(THREADS), OP_FREE, place(from + build_random(i + 1)), 0);
		if (i % 500 == 0)
			put(w, thread, OP_MMAP, MAPPED + 8192 * (from + i), 8192);
		if (i % 20000 == 0)
			put_resident(w);
		if (i % 30000 == 29999)
			build_sync(&w->b);
	}
}

static void put_exits(struct writer *w, uint32_t threads)
{
	for (uint32_t t = 1; t <= threads; t++)
		put(w, t, OP_EXIT, 0, 0);
	build_sync(&w->b);
	flush(w);
}

static void make(struct buffer *file)
{
	struct trace_exec exec = { .exe = trace_string("/bin/other") };
	struct writer w = { .fd = memfd_create("trace", MFD_CLOEXEC) };

	build_init(&w.b);
	w.store = store_writer_new(w.fd);
	for (uint32_t t = 1; t <= THREADS; t++)
		build_thread(&w.b, t, "worker");
	for (uint32_t i = 0; i < STACKS; i++)
		build_node(&w.b, 8 + i, 1, 0x401000 + 16 * i);
	put_some(&w, 0, 2 * BLOCKS);
	put_exits(&w, THREADS / 2);
	put_some(&w, BLOCKS, 2000);
	for (unsigned i = 0; i < WITHOUT_SYNC / 2; i++) {
		put(&w, THREADS, OP_MALLOC, place(3 * BLOCKS), 8);
		put(&w, THREADS, OP_FREE, place(3 * BLOCKS), 0);
	}
	exec.stamp = w.b.stamp;
	trace_put_exec(&w.b.out, &exec);
	put_some(&w, 0, 2 * BLOCKS);
	put_exits(&w, THREADS - 1);
	build_end(&w.b, TRACE_END_EXIT, 0);
	flush(&w);
	store_finish(w.store);
	buffer_reserve(file, (size_t)store_written(w.store));
	file->length = (size_t)pread(w.fd, file->data, (size_t)store_written(w.store), 0);
	store_writer_free(w.store);
	close(w.fd);
	free(w.b.out.data);
}

static struct heap *start(bool (*asks)(void *))
{
	struct heap_options options = { .keep_records = true, .stop = asks };

	return heap_new(&options);
}

static char *report_of(struct heap *heap)
{
	struct report_options options = REPORT_OPTIONS_INIT;
	struct buffer out = BUFFER_INIT;

	options.all = true;
	report_text(heap, &options, &out);
	return buffer_detach(&out);
}

/* Sites and threads as a screen would ask for them: what waits is caught up with after that. */
static unsigned other_amounts(struct heap *a, struct heap *b)
{
	unsigned other = site_count(a) != site_count(b);

	for (uint32_t i = 0; i < site_count(a) && !other; i++) {
		struct heap_site x, y;

		site_get(a, i, &x);
		site_get(b, i, &y);
		other += x.leaked != y.leaked || x.leaked_bytes != y.leaked_bytes || x.live != y.live ||
			 x.peak_bytes != y.peak_bytes || x.allocs != y.allocs;
	}
	for (uint32_t i = 0; i < thread_count(a); i++) {
		struct heap_thread x, y;

		thread_get(a, i, &x);
		thread_get(b, i, &y);
		other += x.leaked != y.leaked || x.live_bytes != y.live_bytes || x.freed_by_others != y.freed_by_others;
	}
	return other;
}

static unsigned other_records(const struct heap *a, const struct heap *b)
{
	unsigned other = block_count(a) != block_count(b);

	for (uint32_t id = 0; id < block_count(a) && !other; id++) {
		struct block_record x, y;

		block_get(a, id, &x);
		block_get(b, id, &y);
		other += x.state != y.state || x.ptr != y.ptr || x.alloc_ns != y.alloc_ns || x.free_ns != y.free_ns ||
			 x.thread != y.thread || x.free_thread != y.free_thread || x.stack != y.stack;
	}
	return other;
}

static unsigned other_footprints(const struct heap *a, const struct heap *b)
{
	unsigned other = footprint_count(a) != footprint_count(b);

	for (size_t i = 0; i < footprint_count(a) && !other; i++) {
		struct footprint x, y;

		footprint_at(a, i, &x);
		footprint_at(b, i, &y);
		other += x.asked != y.asked || x.used != y.used || x.empty != y.empty || x.laid != y.laid;
	}
	return other;
}

/* Does all that waits, as the viewer does, and counts how often it was stopped. */
static void digest(struct heap *heap)
{
	while (!heap_go_on(heap))
		stops++;
}

static void catch_up(struct heap *heap)
{
	while (!heap_catch_up(heap))
		stops++;
}

static void check(const struct buffer *file)
{
	struct heap *plain = start(NULL), *stopped = start(stop_always);
	unsigned wrong = 0, behind = 0, laid = 0;
	char *reports[2];

	for (size_t at = 0; at < file->length; at += PIECE) {
		size_t piece = file->length - at < PIECE ? file->length - at : PIECE;

		heap_feed(plain, file->data + at, piece);
		heap_feed(stopped, file->data + at, piece);
		/* Queries in the middle of it do no harm; at times the next bytes come before all is done. */
		other_amounts(stopped, stopped);
		if (build_random(4) == 0) {
			heap_catch_up(stopped);
			continue;
		}
		digest(stopped);
		other_amounts(stopped, stopped);
		behind += heap_is_behind(stopped);
		catch_up(stopped);
		wrong += other_amounts(plain, stopped);
	}
	while (!heap_end(stopped))
		stops++;
	heap_end(plain);
	for (size_t i = 0; i < footprint_count(plain); i++) {
		struct footprint f;

		footprint_at(plain, i, &f);
		laid += f.laid;
	}
	ok(stops > 100 && asked > stops, "it was stopped (%u of %u times)", stops, asked);
	ok(laid > 3, "blocks were laid over pages (%u times)", laid);
	is_int(wrong, 0, "the same amounts all along");
	is_int(other_amounts(plain, stopped), 0, "and at the end");
	is_int(other_records(plain, stopped), 0, "the same records");
	is_int(other_footprints(plain, stopped), 0, "the same footprint");
	reports[0] = report_of(plain);
	reports[1] = report_of(stopped);
	is_string(reports[1], reports[0], "the same report");
	free(reports[0]);
	free(reports[1]);
	heap_free(plain);
	heap_free(stopped);
	ok(behind, "what takes long was put off (%u times)", behind);
}

int main(void)
{
	struct buffer file = BUFFER_INIT;

	make(&file);
	check(&file);
	buffer_release(&file);
	return done_testing();
}
