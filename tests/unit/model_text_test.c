/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text log into the heap. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"

static struct heap *read_text(const char *text, size_t length, size_t piece, bool follow)
{
	struct heap_options options = { .keep_records = true, .follow = follow };
	struct heap *heap = heap_new(&options);

	for (size_t at = 0; at < length; at += piece)
		heap_feed(heap, text + at, length - at < piece ? length - at : piece);
	heap_end(heap);
	return heap;
}

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

#define M	"[memtrack] tid="
static const char basic[] =
	"hello from the program\n"
	M "12     (a) b ts=1 x    ) malloc     ts=10           size=100           total=100           ptr=0x1000\n"
	"[memtrack]   #0  ./app(_ZN3foo3barEv+0x2a) [0x401136]\n"
	"program output between\n"
	"[memtrack]   #1  ./a (b)/app(main+0x10) [0x401200]\n"
	"no newline yet" M "12     (a) b ts=1 x    ) calloc     ts=20           size=50            total=150           ptr=0x2000\n"
	M "12     (a) b ts=1 x    ) free       ts=30            ptr=0x1000\n"
	M "13     (worker [2]     ) mmap       ts=40           size=40960         total=40960         ptr=0x7f0000000000\n"
	M "13     (worker [2]     ) munmap     ts=50           size=8192           ptr=0x7f0000002000\n"
	M "13     (worker [2]     ) EXIT       ts=60           total=40960        bytes allocated\n"
	M "13 (short) new[] ts=61 size=8 total=40968 ptr=0x3000\n"
	"[memtrack] nonsense\n"
	"\n"
	M "12     (a) b ts=1 x    ) free       ts=70            ptr=0x9999\n";

static void check_basic(size_t piece, const char *what)
{
	struct heap *heap = read_text(basic, sizeof(basic) - 1, piece, false);
	struct stack_frame f[3];
	struct heap_thread t;

	is_int(status_of(heap).format, HEAP_FORMAT_TEXT, "%s: known as text", what);
	is_int(totals_of(heap, HEAP_BLOCKS).allocs, 3, "%s: allocations", what);
	is_int(totals_of(heap, HEAP_BLOCKS).leaked_bytes, 58, "%s: leaked", what);
	is_int(totals_of(heap, HEAP_PAGES).leaked_bytes, 32768, "%s: a hole in a mapping", what);
	is_int(status_of(heap).foreign_lines, 3, "%s: foreign lines are counted", what);
	is_int(status_of(heap).unknown_frees, 1, "%s: a free without a block", what);
	is_int(stack_frames(heap, record_of(heap, 0).stack, f, 3), 2, "%s: frames", what);
	is_string(f[0].function, "foo::bar()", "%s: demangled", what);
	is_string(f[0].module, "./app", "%s: binary", what);
	is_int(f[0].function_offset, 0x2a, "%s: offset", what);
	is_int(f[1].pc, 0x401200, "%s: pc", what);
	is_int(record_of(heap, 0).alloc_ns, 10000, "%s: microseconds", what);
	is_int(record_of(heap, 0).state, BLOCK_FREED, "%s: freed", what);
	thread_get(heap, 0, &t);
	is_string(t.name, "a) b ts=1 x", "%s: a name that looks like fields", what);
	is_int(t.tid, 12, "%s: tid", what);
	is_int(thread_count(heap), 3, "%s: a tid that comes back by another name is another thread", what);
	ok(status_of(heap).leaks_final, "%s: the log's end is an end", what);
	heap_free(heap);
}

static void test_follow(void)
{
	struct heap *heap = read_text(basic, sizeof(basic) - 1, 1000, true);

	ok(!status_of(heap).leaks_final, "not when following");
	is_int(record_of(heap, 1).state, BLOCK_ACTIVE, "live");
	heap_free(heap);
}

/* Threads that flush late: lines out of order by less than the window. */
static void test_order(void)
{
	static const char text[] =
		M "2      (b              ) free       ts=500           ptr=0x1000\n"
		M "2      (b              ) malloc     ts=600          size=7             total=7             ptr=0x1000\n"
		M "1      (a              ) malloc     ts=100          size=5             total=5             ptr=0x1000\n"
		M "1      (a              ) free       ts=700           ptr=0x1000\n"
		M "1      (a              ) malloc     ts=700          size=9             total=14            ptr=0x1000\n";
	struct heap *heap = read_text(text, sizeof(text) - 1, 10, false);

	is_int(totals_of(heap, HEAP_BLOCKS).frees, 2, "sorted by time");
	is_int(totals_of(heap, HEAP_BLOCKS).peak_bytes, 9, "one block at a time");
	is_int(totals_of(heap, HEAP_BLOCKS).leaked_bytes, 9, "the last one stays");
	is_int(status_of(heap).unknown_frees + status_of(heap).implied_frees, 0, "all matched");
	heap_free(heap);
}

static void test_long_lines(void)
{
	struct buffer text = BUFFER_INIT;
	struct heap *heap;
	struct stack_frame f;

	buffer_append_repeat(&text, 'x', 6u << 20);
	buffer_append_string(&text, "\n" M "1      (a              ) malloc     ts=1            size=5  total=5  ptr=0x1000\n");
	buffer_append_string(&text, "[memtrack]   #0  ./app(");
	buffer_append_repeat(&text, 'f', 300000);
	buffer_append_string(&text, "+0x1) [0x401000]\n" M "1      (a              ) malloc     ts=2            size=5  total=5  ptr=0x20");
	heap = read_text(text.data, text.length, 65536, false);
	is_int(totals_of(heap, HEAP_BLOCKS).allocs, 1, "lines of megabytes; the last line is cut");
	is_int(status_of(heap).foreign_lines, 2, "and both say so");
	stack_frames(heap, record_of(heap, 0).stack, &f, 1);
	is_int(strlen(f.function), 300000, "a long symbol is whole");
	heap_free(heap);
	buffer_release(&text);
}

static void test_window(void)
{
	struct buffer text = BUFFER_INIT;
	struct heap_options options = { .keep_records = true, .follow = true };
	struct heap *heap = heap_new(&options);

	for (int i = 0; i < 20000; i++)
		buffer_printf(&text, M "1      (a              ) malloc     ts=%d  size=5  total=5  ptr=0x%x\n",
			      i * 100, 0x1000 + i * 16);
	heap_feed(heap, text.data, text.length);
	ok(block_count(heap) > 15000 && block_count(heap) < 20000, "a live log waits a moment for other threads");
	heap_settle(heap);
	is_int(block_count(heap), 19999, "settled: all but the line that may still get frames");
	heap_end(heap);
	is_int(block_count(heap), 20000, "ended: all");
	heap_free(heap);
	buffer_release(&text);
}

/* Numbers that cannot be: the line and its frames are left out of everything. */
static void test_numbers(void)
{
	static const char text[] =
		M "1      (a              ) malloc     ts=1  size=8  total=8  ptr=0x1000\n"
		"[memtrack]   #0  ./app(good+0x1) [0x401001]\n"
		M "1      (a              ) malloc     ts=2  size=9223372036854775808  total=9  ptr=0x2000\n"
		"[memtrack]   #0  ./app(bad+0x1) [0x402001]\n"
		M "1      (a              ) malloc     ts=3  size=18446744073709551615  total=9  ptr=0x3000\n"
		M "1      (a              ) malloc     ts=4  size=99999999999999999999999  total=9  ptr=0x4000\n"
		M "1      (a              ) malloc     ts=5  size=281474976710656  total=9  ptr=0x5000\n"
		M "1      (a              ) malloc     ts=6  size=-1  total=9  ptr=0x6000\n"
		M "1      (a              ) malloc     ts=9223372036854775808  size=1  total=9  ptr=0x7000\n"
		M "1      (a              ) malloc     ts=7  size=1  total=9  ptr=0x10000000000000000\n"
		M "1      (a              ) malloc     ts=8  size=281474976710655  total=9  ptr=0x9000\n";
	struct heap *heap = read_text(text, sizeof(text) - 1, 100, false);
	struct stack_frame f[2];

	is_int(status_of(heap).foreign_lines, 8, "seven lines and a frame are skipped");
	is_int(status_of(heap).events, 2, "two events are left");
	is_int(block_count(heap), 2, "two records");
	is_int(totals_of(heap, HEAP_BLOCKS).alloc_bytes, 8 + 281474976710655ll, "two blocks' bytes");
	is_int(record_of(heap, 1).size, 281474976710655ll, "the largest size there can be");
	is_int(stack_frames(heap, record_of(heap, 0).stack, f, 2), 1, "no stack got another's frame");
	heap_free(heap);
}

static void test_runtime(void)
{
	static const char text[] =
		M "1      (a              ) malloc     ts=1  size=72704  total=72704  ptr=0x1000\n"
		M "1      (a              ) malloc     ts=2  size=1024  total=72704  ptr=0x100000\n"
		"[memtrack]   #0  /lib/x86_64-linux-gnu/libc.so.6(_IO_file_doallocate+0x8c) [0x7f01]\n"
		"[memtrack]   #1  /lib/x86_64-linux-gnu/libc.so.6(puts+0x8c) [0x7f02]\n"
		"[memtrack]   #2  ./app(main+0x8c) [0x7f03]\n"
		M "1      (a              ) calloc     ts=3  size=288  total=72704  ptr=0x200000\n"
		"[memtrack]   #0  /lib64/ld-linux-x86-64.so.2(_dl_allocate_tls+0x1) [0x7f04]\n"
		M "1      (a              ) malloc     ts=4  size=10  total=72704  ptr=0x300000\n"
		"[memtrack]   #0  /lib/x86_64-linux-gnu/libc.so.6(strdup+0x1) [0x7f05]\n"
		"[memtrack]   #1  ./app(keep+0x8c) [0x7f06]\n"
		M "1      (a              ) malloc     ts=5  size=70000  total=72704  ptr=0x400000\n";
	struct heap *heap = read_text(text, sizeof(text) - 1, 100, false);

	is_int(totals_of(heap, HEAP_BLOCKS).runtime, 3, "pool, stdio buffer and TLS are the runtime's");
	is_int(totals_of(heap, HEAP_BLOCKS).leaked_bytes, 70010, "the rest is leaked");
	heap_free(heap);
}

/* This program's own main, by name and offset. */
static void test_lines(void)
{
	struct buffer text = BUFFER_INIT;
	char path[4096] = "";
	struct stack_frame f;
	struct heap *heap;

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0) {
		skip(1, "no /proc/self/exe");
		return;
	}
	buffer_printf(&text, M "1      (a              ) malloc     ts=1  size=8  total=8  ptr=0x1000\n"
		      "[memtrack]   #0  %s(main+0x5) [0x401005]\n"
		      "[memtrack]   #1  /no/such/file(main+0x5) [0x401005]\n", path);
	heap = read_text(text.data, text.length, 4096, false);
	stack_frames(heap, record_of(heap, 0).stack, &f, 1);
	ok(!f.file, "a text log has no lines of its own");
	stack_locate(heap, record_of(heap, 0).stack, &f, 1);
	if (f.file)
		ok(strstr(f.file, "model_text_test.c") && f.line, "they are found in the binary");
	else
		skip(1, "built without debug information");
	heap_free(heap);
	buffer_release(&text);
}

static void test_not_ours(void)
{
	struct heap *heap = read_text("just a file\nof text\n", 20, 3, false);

	is_int(status_of(heap).events, 0, "no events in other text");
	is_int(status_of(heap).foreign_lines, 2, "all lines foreign");
	heap_free(heap);
	heap = read_text("", 0, 1, false);
	is_int(status_of(heap).format, HEAP_FORMAT_UNKNOWN, "nothing at all");
	heap_free(heap);
	heap = read_text("\x89MT", 3, 1, false);
	ok(status_of(heap).damaged, "a head cut short");
	heap_free(heap);
}

int main(void)
{
	check_basic(100000, "whole");
	check_basic(1, "byte by byte");
	check_basic(61, "in pieces");
	test_follow();
	test_order();
	test_long_lines();
	test_window();
	test_numbers();
	test_runtime();
	test_lines();
	test_not_ours();
	return done_testing();
}
