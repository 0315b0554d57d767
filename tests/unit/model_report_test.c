/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text report and the gate: what they say, and that they stay readable. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include <locale.h>

#include "base/text.h"
#include "model/check.h"
#include "model/report.h"

#define LIBC	"/lib/x86_64-linux-gnu/libc.so.6"

static void frames(struct build *b)
{
	build_module(b, 1, 0x400000, "/opt/app");
	build_module(b, 2, 0x7f0000000000, LIBC);
	build_node(b, 14, 1, 0x7f0000003000);
	build_node(b, 8, 14, 0x401000);
	build_node(b, 9, 8, 0x402000);
	build_node(b, 10, 9, 0x7f0000001000);
	build_node(b, 11, 9, 0x7f0000002000);
	build_node(b, 12, 8, 0x403000);
	build_node(b, 13, 12, 0x7f0000002000);
	build_symbol(b, 1, 0x1000, 1, "main", "/src/main.c", 12);
	build_symbol(b, 1, 0x2000, 3, "cache_put(char const*)\033[31m", "/src/cache.c", 42);
	build_symbol(b, 1, 0x3000, 5, "other_caller", "/src/other.c", 7);
	build_symbol(b, 2, 0x1000, 7, "_IO_file_doallocate", "filedoalloc.c", 101);
	build_symbol(b, 2, 0x2000, 9, "strdup", "strdup.c", 42);
	build_symbol(b, 2, 0x3000, 11, "__libc_start_call_main", "start.h", 58);
}

static void sample(struct build *b)
{
	struct trace_child child = { 4242, trace_string("sh") };
	struct trace_rss rss = { 0, 20000, 15000, 4000, 0, 0, 132 };

	build_init(b);
	build_fact(b, "command", "./app --a-very-long-option=\033]0;title\007 and many more arguments that do not fit into one line of eighty columns");
	build_fact(b, "pid", "4711");
	build_fact(b, "host", "box");
	build_fact(b, "method", "preload");
	build_thread(b, 1, "app");
	build_thread(b, 2, "wor\nker");
	frames(b);
	build_stack_event(b, 1, OP_MALLOC, 0x10000, 1024, 10);
	for (uint32_t i = 0; i < 10; i++)
		build_stack_event(b, 1 + i % 2, OP_STRDUP, 0x20000 + 64 * i, 40, i < 7 ? 11 : 13);
	build_stack_event(b, 2, OP_MALLOC, 0x90000, 5000000, 12);
	rss.stamp = b->stamp + 1;
	trace_put_rss(&b->out, &rss);
	rss.stamp++;
	rss.rss--;
	trace_put_rss(&b->out, &rss);
	build_stack_event(b, 2, OP_FREE, 0x90000, 0, 12);
	trace_put_child(&b->out, &child);
	build_end(b, TRACE_END_SIGNAL, 6);
}

static size_t widest(const char *text)
{
	size_t widest = 0;

	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n"), width = text_width(line, length);

		widest = width > widest ? width : widest;
		line += length + (line[length] == '\n');
	}
	return widest;
}

/* Lines that begin with the unit of a number in the line before. */
static unsigned torn_units(const char *text)
{
	unsigned torn = 0;

	for (const char *end = strchr(text, '\n'); end; end = strchr(end + 1, '\n')) {
		const char *word = end + 1 + strspn(end + 1, " ");

		torn += end > text && end[-1] >= '0' && end[-1] <= '9' && word > end + 1 &&
			(!strncmp(word, "KiB", 3) || !strncmp(word, "MiB", 3) || !strncmp(word, "B", 1) || *word == '%');
	}
	return torn;
}

static void test_units(void)
{
	struct report_options options = REPORT_OPTIONS_INIT;
	unsigned torn = 0;
	struct heap *heap;
	struct build b;

	sample(&b);
	heap = build_heap(&b);
	for (options.width = 40; options.width < 100; options.width++) {
		struct buffer out = BUFFER_INIT;

		report_text(heap, &options, &out);
		torn += torn_units(buffer_text(&out));
		buffer_release(&out);
	}
	is_int(torn, 0, "numbers and units stay together in any width");
	heap_free(heap);
}

static void test_report(void)
{
	struct buffer out = BUFFER_INIT;
	struct build b;
	struct heap *heap;
	const char *text, *leaked;

	sample(&b);
	heap = build_heap(&b);
	report_text(heap, NULL, &out);
	text = buffer_text(&out);
	ok(widest(text) <= 80, "80 columns are enough (%zu)", widest(text));
	ok(!strpbrk(text, "\033\007\r"), "no control byte of the target gets through");
	ok(strstr(text, "./app --a-very-long"), "command");
	ok(strstr(text, "process 4711 on box was killed by signal 6"), "how it ended");
	leaked = strstr(text, "Leaked, by call site");
	ok(leaked && strstr(leaked, "cache_put(char const*)\\x1b[31m (cache.c:42)"), "leaking function with file and line");
	ok(leaked && strstr(leaked, "280 B in 7 blocks"), "what it leaked");
	ok(strstr(text, "runtime") && !strstr(text, "doallocate"), "the runtime's own is apart");
	ok(strstr(text, "Threads (2)") && strstr(text, "wor\\x0aker"), "threads, names made safe");
	ok(strstr(text, "19.5 MiB were resident"), "coverage: resident");
	ok(strstr(text, "(24 %)"), "coverage: share");
	ok(strstr(text, "At least 1 child process was not traced"), "children, as many as were seen");
	ok(strstr(text, "sh (4242)"), "by name");
	ok(!strstr(text, "start_call"), "nothing below main");
	ok(strstr(text, "4.8 MiB in 4 blocks, 2 stacks"), "the peak's site");
	if (getenv("SHOW"))
		puts(text);
	buffer_release(&out);
	heap_free(heap);
}

/* Columns of a line until a text. */
static size_t column_of(const char *text, const char *what)
{
	const char *found = strstr(text, what), *line = found;

	while (line && line > text && line[-1] != '\n')
		line--;
	return found ? text_width(line, (size_t)(found - line)) : 0;
}

static void test_columns(void)
{
	struct buffer out = BUFFER_INIT;
	struct build b;
	struct heap *heap;
	const char *text;

	build_init(&b);
	build_thread(&b, 1, "plain");
	build_thread(&b, 2, "\u65e5\u672c\u8a9e\u00e9");
	build_thread(&b, 3, "lines");
	build_event(&b, 1, OP_MALLOC, 0x1000, 1111111);
	build_event(&b, 2, OP_MALLOC, 0x2000, 11);
	build_event(&b, 3, OP_MMAP, 0x100000, 8192);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	report_text(heap, NULL, &out);
	text = strstr(buffer_text(&out), "Threads (3)");
	ok(text && widest(text) <= 80, "80 columns are enough for threads");
	ok(text && column_of(text, "101 ") == column_of(text, "102 "), "columns keep to their place beside wide letters");
	ok(text && column_of(text, "mapped") + 6 == column_of(text, "8.0 KiB") + 7, "pages have a column of their own");
	if (getenv("SHOW"))
		puts(buffer_text(&out));
	buffer_release(&out);
	heap_free(heap);
}

static void test_empty(void)
{
	struct buffer out = BUFFER_INIT;
	struct heap *heap = heap_new(NULL);

	heap_end(heap);
	report_text(heap, NULL, &out);
	ok(strstr(buffer_text(&out), "allocated"), "a report of nothing");
	buffer_release(&out);
	heap_free(heap);
}

static int gate(const char *suppressions, uint64_t leaked, uint64_t peak, struct buffer *out)
{
	struct check_options options = CHECK_OPTIONS_INIT;
	struct build b;
	struct heap *heap;
	int result;

	options.suppressions = suppressions;
	options.max_leaked = leaked;
	options.max_peak = peak;
	sample(&b);
	heap = build_heap(&b);
	buffer_clear(out);
	result = check_heap(heap, &options, out);
	heap_free(heap);
	return result;
}

static void test_check(void)
{
	struct buffer out = BUFFER_INIT;
	struct build b;
	struct heap *heap;
	struct check_options options = CHECK_OPTIONS_INIT;

	is_int(gate(NULL, 0, CHECK_NO_LIMIT, &out), 1, "leaks are found");
	ok(strstr(buffer_text(&out), "leaked: 400 B in 10 blocks"), "and named");
	is_int(gate(NULL, 400, CHECK_NO_LIMIT, &out), 0, "as many may be leaked");
	is_int(gate("# known\n leak:cache_put*\nother_caller", 0, CHECK_NO_LIMIT, &out), 0, "suppressed");
	is_int(gate("leak:nothing_of_that_name", 0, CHECK_NO_LIMIT, &out), 1, "not by another name");
	is_int(gate(NULL, 400, 1000, &out), 1, "the peak is too high");
	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 5);
	heap = build_heap(&b);
	is_int(check_heap(heap, &options, &out), 2, "without an end nobody can tell");
	heap_free(heap);
	buffer_release(&out);
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	test_report();
	test_units();
	test_columns();
	test_empty();
	test_check();
	return done_testing();
}
