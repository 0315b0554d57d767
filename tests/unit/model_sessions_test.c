/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several processes in one stream: each is a heap of its own. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/report.h"

/* A process that makes so many blocks; its records. */
static void process(struct build *b, const char *name, const char *pid, unsigned blocks)
{
	build_init(b);
	build_fact(b, "command", name);
	build_fact(b, "pid", pid);
	build_thread(b, 1, name);
	for (unsigned i = 0; i < blocks; i++)
		build_event(b, 1, OP_MALLOC, 0x1000 + 16 * i, 10);
}

/* Its records are cut in two at a record, so that chunks of both processes alternate. */
static void write_halves(struct build *b, int fd, uint32_t session, size_t half, bool first)
{
	struct store_writer *w = store_writer_new(fd);
	size_t from = first ? 0 : half, to = first ? half : b->out.length;

	store_writer_session(w, session);
	store_put(w, b->out.data + from, to - from, 1, b->stamp, b->events);
	store_flush(w);
	store_writer_free(w);
}

static size_t read_back(int fd, struct buffer *file)
{
	off_t size = lseek(fd, 0, SEEK_END);

	buffer_reserve(file, (size_t)size);
	file->length = (size_t)pread(fd, file->data, (size_t)size, 0);
	return file->length;
}

static uint64_t live_of(struct heap *heap, size_t session)
{
	struct heap_totals t;

	heap_totals(heap_session_at(heap, session), HEAP_BLOCKS, &t);
	return t.live;
}

static void test_two(void)
{
	struct buffer file = BUFFER_INIT;
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct heap_status status;
	struct build a, b;
	struct heap *heap;
	size_t half_a, half_b;

	process(&a, "make", "100", 3);
	half_a = a.out.length;
	process(&b, "cc", "101", 5);
	half_b = b.out.length;
	build_event(&a, 1, OP_MALLOC, 0x9000, 10);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_end(&b, TRACE_END_EXIT, 1);
	build_end(&a, TRACE_END_EXIT, 0);
	write_halves(&a, fd, 7, half_a, true);
	write_halves(&b, fd, 9, half_b, true);
	write_halves(&b, fd, 9, half_b, false);
	write_halves(&a, fd, 7, half_a, false);
	read_back(fd, &file);
	for (size_t piece = 1; piece < 20000; piece *= 100) {
		heap = build_feed(file.data, file.length, piece, true);
		heap_end(heap);
		is_int(heap_session_count(heap), 2, "two processes, in pieces of %zu", piece);
		is_string(heap_fact(heap_session_at(heap, 0), "pid"), "100", "the first is the first");
		is_string(heap_fact(heap_session_at(heap, 1), "command"), "cc", "the other has its own facts");
		is_int(live_of(heap, 0), 4, "blocks of the one");
		is_int(live_of(heap, 1), 4, "blocks of the other, less what it freed");
		is_int(block_count(heap_session_at(heap, 1)), 5, "its records");
		heap_status(heap_session_at(heap, 1), &status);
		is_int(status.end_value, 1, "its own exit status");
		ok(status.data_ended && !status.damaged, "and end");
		heap_free(heap);
	}
	buffer_release(&file);
	free(a.out.data);
	free(b.out.data);
	close(fd);
}

/* Two files one behind the other have the same session number. */
static void test_behind(void)
{
	struct buffer file = BUFFER_INIT, second = BUFFER_INIT;
	struct build a, b;
	struct heap *heap;

	process(&a, "one", "100", 3);
	build_end(&a, TRACE_END_EXIT, 0);
	process(&b, "two", "200", 5);
	build_end(&b, TRACE_END_EXIT, 0);
	build_file(&a, &file);
	build_file(&b, &second);
	buffer_append(&file, second.data, second.length);
	heap = build_feed(file.data, file.length, 4096, false);
	heap_end(heap);
	is_int(heap_session_count(heap), 2, "nothing follows an end: another process begins");
	is_int(live_of(heap, 0), 3, "the first");
	is_int(live_of(heap, 1), 5, "the second");
	heap_free(heap);
	buffer_release(&file);
	buffer_release(&second);
	free(a.out.data);
	free(b.out.data);
}

int main(void)
{
	test_two();
	test_behind();
	return done_testing();
}
