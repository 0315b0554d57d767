/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heaps whose records lie in a file tell the same as those in memory; filters and orders that are
 * cancelled half-way leave everything as it was before.
 *
 *	model_spill_test [TRACE...]	the same of traces */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/export.h"
#include "model/select.h"

#define ADDRESSES	20000u
#define STACKS		40u
#define EVENTS		290000u	/* records enough for two chunks */

static bool live[ADDRESSES];

/* Short lives and long ones, sizes of all kinds, and mappings with holes. */
static void make(struct build *b)
{
	build_init(b);
	build_module(b, 1, 0x400000, "/bin/app");
	for (uint32_t i = 0; i < STACKS; i++)
		build_node(b, 8 + i, 1, 0x401000 + 16 * i);
	for (uint32_t t = 1; t <= 5; t++)
		build_thread(b, t, t % 2 ? "odd" : "even");
	for (unsigned i = 0; i < EVENTS; i++) {
		uint32_t thread = 1 + (uint32_t)build_random(5);
		uint32_t index = (uint32_t)build_random(build_random(4) ? 60 : ADDRESSES);
		uint64_t ptr = 0x100000 + 0x1000 * (uint64_t)index;

		if (build_random(2000) == 0)
			build_event(b, thread, build_random(2) ? OP_MMAP : OP_MUNMAP,
				    0x7f0000000000 + 4096 * build_random(32), 4096 * (1 + build_random(8)));
		else if ((live[index] = !live[index]))
			build_stack_event(b, thread, OP_MALLOC, ptr,
					  build_random(30) ? build_random(3000) : build_random(1u << 24),
					  8 + (uint32_t)build_random(STACKS));
		else
			build_event(b, thread, OP_FREE, ptr, 0);
		if (i % 5000 == 0)
			build_sync(b);
	}
	build_end(b, TRACE_END_EXIT, 0);
}

static void settle(struct selection *s, size_t step)
{
	while (!select_step(s, step))
		;
}

struct ask {
	const char *what;
	enum select_state state;
	enum select_column column;
	const char *search;
};
static const struct ask asks[] = {
	{ "all", SELECT_ALL, SELECT_BY_TIME, NULL }, { "all by size", SELECT_ALL, SELECT_BY_SIZE, NULL },
	{ "freed by thread", SELECT_FREED, SELECT_BY_THREAD, NULL },
	{ "leaks by size", SELECT_LEAKS, SELECT_BY_SIZE, NULL },
	{ "a search", SELECT_ALL, SELECT_BY_SIZE, "even" },
};
#define ASKS (sizeof(asks) / sizeof(asks[0]))

/* All rows: what they are of, field by field. */
static void put_rows(const struct heap *heap, const struct selection *s, struct buffer *out)
{
	for (size_t row = 0; row < select_count(s); row++) {
		struct block_record r;

		block_get(heap, select_at(s, row), &r);
		buffer_append(out, (uint64_t[]){ r.id, r.ptr, r.size, r.alloc_ns, r.free_ns, r.thread, r.free_thread,
						 r.stack, r.site, r.state }, 10 * sizeof(uint64_t));
	}
}

static void ask(struct heap *heap, const struct ask *a, bool trees, struct buffer *out)
{
	struct select_filter f = SELECT_FILTER_INIT;
	struct selection *s = select_new(heap);

	f.state = a->state;
	f.search = a->search;
	select_filter(s, &f);
	select_sort(s, a->column, false);
	select_groups(s, trees);
	settle(s, 7000);
	put_rows(heap, s, out);
	if (trees)
		export_groups(s, 0, SIZE_MAX, false, out);
	select_free(s);
}

static struct heap *feed_in(const struct buffer *file, size_t memory, const char *folder)
{
	struct heap_options options = { .keep_records = true, .memory = memory, .folder = folder };
	struct heap *heap = heap_new(&options);

	for (size_t at = 0; at < file->length; at += 16384)
		heap_feed(heap, file->data + at, file->length - at < 16384 ? file->length - at : 16384);
	heap_end(heap);
	return heap;
}

static struct heap *feed(const struct buffer *file, size_t memory)
{
	return feed_in(file, memory, NULL);
}

/* Where there is no folder for the file all is as ever, and people are told. */
static void test_nowhere(const struct buffer *file)
{
	struct heap *plain = feed(file, 0), *heap = feed_in(file, 3, "/nowhere/at/all");
	struct buffer a = BUFFER_INIT, b = BUFFER_INIT;
	size_t told = 0;

	for (size_t i = 0; i < heap_note_count(heap); i++)
		told += strstr(heap_note_at(heap, i), "records stay in memory") != NULL;
	is_int((long)told, 1, "no folder for the file: a note says so, once");
	ask(plain, &asks[1], true, &a);
	ask(heap, &asks[1], true, &b);
	ok(a.length && a.length == b.length && !memcmp(a.data, b.data, a.length), "no folder for the file: nothing is lost");
	buffer_release(&a);
	buffer_release(&b);
	heap_free(plain);
	heap_free(heap);
}

static void compare(const struct buffer *file, const char *name)
{
	struct heap *plain = feed(file, 0), *none = feed(file, 3), *little = feed(file, 9u << 20);

	for (size_t i = 0; i < ASKS; i++) {
		struct buffer a = BUFFER_INIT, b = BUFFER_INIT, c = BUFFER_INIT;

		ask(plain, &asks[i], true, &a);
		ask(none, &asks[i], true, &b);
		ask(little, &asks[i], true, &c);
		ok(a.length == b.length && !memcmp(a.data, b.data, a.length) &&
		   a.length == c.length && !memcmp(a.data, c.data, a.length),
		   "%s: %s: the same from a file (%zu bytes)", name, asks[i].what, a.length);
		buffer_release(&a);
		buffer_release(&b);
		buffer_release(&c);
	}
	heap_free(plain);
	heap_free(none);
	heap_free(little);
}

static void rows(const struct heap *heap, struct selection *s, struct buffer *out)
{
	buffer_clear(out);
	put_rows(heap, s, out);
}

static bool same(const struct buffer *a, const struct buffer *b)
{
	return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

/* At any time of the work on the way from one to another. */
static void test_cancel(struct heap *heap, const struct ask *from, const struct ask *to, size_t steps)
{
	struct buffer before = BUFFER_INIT, after = BUFFER_INIT;
	struct select_filter f = SELECT_FILTER_INIT;
	struct selection *s = select_new(heap);
	struct select_sums a, z;
	unsigned permille, works = 0;
	bool cancelled;

	f.state = from->state;
	f.search = from->search;
	select_filter(s, &f);
	select_sort(s, from->column, false);
	select_groups(s, true);
	settle(s, 50000);
	rows(heap, s, &before);
	select_sums(s, &a);
	ok(!select_cancel(s), "nothing to cancel");
	if (from->state != to->state || from->search != to->search) {
		f.state = to->state;
		f.search = to->search;
		select_filter(s, &f);
	}
	select_sort(s, to->column, to->column == SELECT_BY_SIZE);
	for (size_t i = 0; i < steps; i++) {
		select_step(s, 1000);
		works += select_work(s, &permille) != SELECT_RESTS;
	}
	cancelled = select_cancel(s);
	settle(s, 3000);
	rows(heap, s, &after);
	select_sums(s, &z);
	ok(cancelled && works == steps && same(&before, &after) && !memcmp(&a, &z, sizeof(a)),
	   "%s, then %s, cancelled after %zu steps: as it was", from->what, to->what, steps);
	/* And once more, to its end. */
	f.state = to->state;
	f.search = to->search;
	select_filter(s, &f);
	select_sort(s, to->column, false);
	settle(s, 3000);
	rows(heap, s, &after);
	buffer_clear(&before);
	ask(heap, to, false, &before);
	ok(before.length >= after.length &&
	   !memcmp(before.data + before.length - after.length, after.data, after.length),
	   "%s: once more, to its end", to->what);
	select_free(s);
	buffer_release(&before);
	buffer_release(&after);
}

/* Half of the trace comes while rows are sorted, filtered, or on the way back. */
static void test_cancel_growing(const struct buffer *file)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options), *whole = feed(file, 0);
	struct selection *s = select_new(heap);
	struct buffer a = BUFFER_INIT, b = BUFFER_INIT;
	struct select_filter f = SELECT_FILTER_INIT;
	size_t at = 0, step = file->length / 24;

	select_sort(s, SELECT_BY_SIZE, false);
	for (unsigned i = 0; at < file->length; i++) {
		size_t n = file->length - at < step ? file->length - at : step;

		heap_feed(heap, file->data + at, n);
		at += n;
		for (unsigned k = 0; k < i % 7; k++)
			select_step(s, 4000);
		if (i % 4 == 1) {
			f.state = SELECT_FREED;
			select_filter(s, &f);
		} else if (i % 4 == 2) {
			select_sort(s, SELECT_BY_THREAD, false);
		} else if (i % 4 == 3) {
			while (select_cancel(s))
				;
			f.state = SELECT_ALL;
			select_filter(s, &f);
			select_sort(s, SELECT_BY_SIZE, false);
			settle(s, 5000);
		}
	}
	heap_end(heap);
	f.state = SELECT_ALL;
	select_filter(s, &f);
	select_sort(s, SELECT_BY_SIZE, false);
	settle(s, 5000);
	rows(heap, s, &a);
	ask(whole, &asks[1], false, &b);
	ok(b.length >= a.length && !memcmp(b.data + b.length - a.length, a.data, a.length),
	   "filters and orders that come and go while a trace grows");
	select_free(s);
	heap_free(heap);
	heap_free(whole);
	buffer_release(&a);
	buffer_release(&b);
}

static void compare_trace(const char *path)
{
	struct buffer file = BUFFER_INIT;
	FILE *in = fopen(path, "rb");
	char bytes[65536];
	size_t n;

	if (!in) {
		ok(false, "cannot read %s", path);
		return;
	}
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		buffer_append(&file, bytes, n);
	fclose(in);
	compare(&file, path);
	buffer_release(&file);
}

int main(int argc, char **argv)
{
	struct buffer file = BUFFER_INIT;
	struct build b;
	struct heap *heap;

	for (int i = 1; i < argc; i++)
		compare_trace(argv[i]);
	if (argc > 1)
		return done_testing();
	make(&b);
	build_file(&b, &file);
	free(b.out.data);
	compare(&file, "made");
	test_nowhere(&file);
	heap = feed(&file, 0);
	test_cancel(heap, &asks[0], &asks[1], 1);
	test_cancel(heap, &asks[0], &asks[1], 200);
	test_cancel(heap, &asks[0], &asks[1], 260);
	test_cancel(heap, &asks[1], &asks[2], 20);
	test_cancel(heap, &asks[1], &asks[4], 300);
	test_cancel(heap, &asks[2], &asks[0], 100);
	test_cancel(heap, &asks[4], &asks[3], 10);
	heap_free(heap);
	test_cancel_growing(&file);
	buffer_release(&file);
	return done_testing();
}
