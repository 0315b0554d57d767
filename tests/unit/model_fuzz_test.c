/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Damaged traces and wild text: no crash, bounded memory, a warning.  Best run with sanitizers. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include <sys/resource.h>

#include "model/check.h"
#include "model/report.h"
#include "model/select.h"
#include "model/threads.h"
#include "model/timeline.h"

#define ROUNDS	300u

static void build_sample(struct build *b)
{
	struct trace_exec exec = { 0, trace_string("/bin/sh") };
	struct trace_rss rss = { 0, 1000, 800, 150, 0, 0, 50 };
	struct trace_lost lost = { 1, 0, 5 };

	build_init(b);
	build_fact(b, "command", "./app");
	build_thread(b, 1, "main");
	build_thread(b, 2, "worker");
	build_module(b, 1, 0x400000, "/bin/app");
	for (uint32_t i = 0; i < 20; i++)
		build_node(b, 8 + i, i ? 7 + i : 1, 0x401000 + 16 * i);
	for (unsigned i = 0; i < 60; i++) {
		build_stack_event(b, 1 + i % 2, OP_MALLOC, 0x1000 + 64 * build_random(20), build_random(100), 8 + i % 20);
		build_event(b, 1 + i % 2, OP_FREE, 0x1000 + 64 * build_random(20), 0);
		if (i % 10 == 0) {
			build_event(b, 1, OP_MMAP, 0x700000 + 4096 * i, 8192);
			rss.stamp = b->stamp;
			trace_put_rss(&b->out, &rss);
			build_sync(b);
		}
	}
	build_event(b, 2, OP_EXIT, 0, 5);
	trace_put_lost(&b->out, &lost);
	exec.stamp = b->stamp += 5;
	trace_put_exec(&b->out, &exec);
	build_event(b, 1, OP_MALLOC, 0x1000, 5);
	build_symbol(b, 1, 0x1000, 1, "main", "main.c", 3);
	build_end(b, TRACE_END_EXIT, 0);
}

/* Ask everything there is to ask. */
static void query(struct heap *heap)
{
	struct check_options check = CHECK_OPTIONS_INIT;
	struct selection *s = select_new(heap);
	struct timeline_cell cells[50];
	struct buffer out = BUFFER_INIT;

	select_groups(s, true);
	select_sort(s, SELECT_BY_SIZE, false);
	for (int i = 0; i < 1000 && !select_step(s, 100); i++)
		;
	for (size_t row = 0; row < select_count(s); row++) {
		struct block_record r;

		block_get(heap, select_at(s, row), &r);
	}
	timeline_heap(heap, cells, 50);
	report_text(heap, NULL, &out);
	check_heap(heap, &check, &out);
	buffer_release(&out);
	select_free(s);
}

static void feed_and_ask(const void *bytes, size_t length)
{
	struct heap *heap = build_feed(bytes, length, 1 + build_random(5000), true);

	heap_settle(heap);
	query(heap);
	heap_end(heap);
	query(heap);
	heap_free(heap);
}

static void mutate(uint8_t *data, size_t length)
{
	for (uint64_t n = 1 + build_random(4); n > 0; n--) {
		size_t at = build_random(length);

		switch (build_random(4)) {
		case 0:
			data[at] ^= (uint8_t)(1u << build_random(8));
			break;
		case 1:
			data[at] = (uint8_t)build_random(256);
			break;
		case 2:
			data[at] = 0xff;
			break;
		default:
			memmove(data + at, data + at / 2, (length - at) / 3);
		}
	}
}

static bool memory_is_bounded(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss < 1500 * 1024;
}

/* Records that are wrong inside a chunk whose checksum is right. */
static void fuzz_records(void)
{
	struct build b;
	uint8_t *good;
	size_t length;

	build_sample(&b);
	length = b.out.length;
	good = xmemdup(b.out.data, length);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct buffer file = BUFFER_INIT;

		memcpy(b.out.data, good, length);
		mutate(b.out.data, length);
		build_file(&b, &file);
		feed_and_ask(file.data, file.length);
		buffer_release(&file);
	}
	ok(memory_is_bounded(), "%u traces with wrong records, memory bounded", ROUNDS);
	free(good);
	free(b.out.data);
}

/* Bytes that are wrong in the file, and files cut off anywhere. */
static void fuzz_file(void)
{
	struct buffer file = BUFFER_INIT;
	struct heap_status status;
	unsigned cut_wrong = 0;
	struct build b;

	build_sample(&b);
	build_file(&b, &file);
	free(b.out.data);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint8_t *bad = xmemdup(file.data, file.length);

		mutate(bad, file.length);
		feed_and_ask(bad, file.length);
		free(bad);
	}
	ok(memory_is_bounded(), "%u damaged files", ROUNDS);
	for (size_t length = 0; length < file.length; length += 1 + file.length / 200) {
		struct heap *heap = build_feed(file.data, length, 300, false);

		heap_end(heap);
		heap_status(heap, &status);
		cut_wrong += status.leaks_final && status.events < b.events;
		cut_wrong += length && !status.leaks_final && !status.damaged;
		heap_free(heap);
	}
	is_int(cut_wrong, 0, "files cut anywhere: no leak verdict, and a warning");
	buffer_release(&file);
}

/* Huge numbers in records that are well formed. */
static void forged(void)
{
	struct trace_stack_node node = { UINT32_MAX, UINT32_MAX - 1, 1, UINT64_MAX };
	struct trace_module module = { UINT32_MAX, UINT32_MAX, 1, UINT64_MAX, UINT64_MAX, 5, { "", 0 }, { "", 0 } };
	struct trace_clock clock = { UINT64_MAX, UINT64_MAX };
	struct trace_string_def string = { UINT32_MAX, trace_string("x") };
	struct buffer file = BUFFER_INIT;
	struct build b;

	build_init(&b);
	trace_put_module(&b.out, &module);
	trace_put_stacks(&b.out, &node, 1);
	trace_put_string(&b.out, &string);
	build_at(&b, UINT32_MAX, UINT64_MAX, OP_MALLOC, UINT64_MAX - 1, UINT64_MAX, UINT32_MAX);
	build_at(&b, 0, 0, OP_MMAP, UINT64_MAX - 5000, UINT64_MAX / 2, 7);
	build_at(&b, 0, 1, OP_MUNMAP, 1, UINT64_MAX / 2, 7);
	build_at(&b, 0, 1, 255, 1, 1, 7);
	trace_put_clock(&b.out, &clock);
	build_at(&b, 5, UINT64_MAX / 2, OP_FREE, UINT64_MAX - 1, 0, 0);
	b.stamp = UINT64_MAX;
	build_end(&b, 77, UINT32_MAX);
	build_file(&b, &file);
	feed_and_ask(file.data, file.length);
	ok(memory_is_bounded(), "forged numbers");
	buffer_release(&file);
	free(b.out.data);
}

static const char *const words[] = {
	"[memtrack] ", "tid=", "12", "(", ")", "(name           )", " malloc ", " free ", " EXIT ", " munmap ",
	"ts=", "size=", "total=", "ptr=", "0x", "1000", "ffffffffffffffff", "18446744073709551616", " ", "\n",
	"#0", "#", " [0x", "]", "+0x", "BIN(", "sym", "\033[2J", "\xff\xfe", "\0", "[memtrack]   #1  a(b+0x1) [0x1]\n",
	"[memtrack] tid=1      (n              ) malloc     ts=5  size=8  total=8  ptr=0x1000\n",
	"[memtrack] tid=1      (n              ) mmap       ts=5  size=8192  total=8  ptr=0x4000\n",
	"[memtrack] tid=1      (n              ) munmap     ts=5  size=9999999999999999  ptr=0x1\n",
};

static void fuzz_text(void)
{
	struct buffer text = BUFFER_INIT;

	for (unsigned i = 0; i < ROUNDS; i++) {
		buffer_clear(&text);
		buffer_append_char(&text, 'x');
		for (uint64_t n = build_random(2000); n > 0; n--) {
			const char *word = words[build_random(sizeof(words) / sizeof(words[0]))];

			buffer_append(&text, word, *word ? strlen(word) : 1);
		}
		feed_and_ask(text.data, text.length);
	}
	ok(memory_is_bounded(), "%u wild texts", ROUNDS);
	buffer_release(&text);
}

int main(void)
{
	fuzz_records();
	fuzz_file();
	forged();
	fuzz_text();
	return done_testing();
}
