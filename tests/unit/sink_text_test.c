/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text log's lines to the letter, and their order. */
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "launcher/module_table.h"
#include "launcher/sink.h"
#include "tests/tap.h"
#include "trace/encode.h"
#include "trace/functions.h"

static char text[65536];
static int fd;

static const char *flushed(struct sink *s)
{
	ssize_t n;

	s->ops->flush(s);
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	(void)!ftruncate(fd, 0);
	lseek(fd, 0, SEEK_SET);
	return text;
}

static void name(struct sink *s, uint32_t thread, uint32_t tid, const char *bytes)
{
	struct trace_thread t = { .thread = thread, .tid = tid, .name = trace_string(bytes) };

	s->ops->record(s, TRACE_THREAD, &t);
}

static void event(struct sink *s, uint32_t thread, uint64_t stamp, unsigned op, uint64_t ptr, uint64_t size,
		  uint32_t stack, bool inner)
{
	struct trace_event e = { .stamp = stamp, .ptr = ptr, .size = size, .stack = stack, .op = (uint8_t)op,
				 .inner = inner };

	s->ops->events(s, thread, &e, 1);
}

static void sync_to(struct sink *s, uint64_t stamp)
{
	struct trace_sync sync = { stamp };

	s->ops->record(s, TRACE_SYNC, &sync);
}

static struct sink *open_sink(const struct module_table *modules)
{
	struct trace_clock clock = { .base = 1000, .mult = 1000ull << 32 };	/* a quantum is 1 us */
	struct sink *s = sink_text_new(fd, modules);

	s->ops->record(s, TRACE_CLOCK, &clock);
	name(s, 1, 1234, "main");
	name(s, 2, 77, "w\x1b[2J\n) free");
	return s;
}

static void test_lines(const struct module_table *modules)
{
	struct sink *s = open_sink(modules);

	event(s, 1, 1005, OP_MALLOC, 0xABC0, 100, 0, false);
	event(s, 1, 1006, OP_FREE, 0xabc0, 0, 0, false);
	event(s, 1, 1007, OP_MMAP64, 0x7f0000000000, 4096, 0, true);
	event(s, 1, 1008, OP_MMAP64, 0x7f0000000000, 4096, 0, false);
	event(s, 1, 1009, OP_MUNMAP, 0x7f0000000000, 4096, 0, false);
	event(s, 1, 1010, OP_REALLOC_FREE, 0x10, 0, 0, false);
	event(s, 1, 1011, OP_REALLOC, 0x20, 7, 0, false);
	event(s, 2, 1012, OP_NEWA, 0xffffffffffffffff, 1, 0, false);
	event(s, 2, 999, OP_EXIT, 0, 5, 0, false);
	sync_to(s, 2000);
	is_string(flushed(s),
		  "[memtrack] tid=77     (w?[2J?) free   ) EXIT       ts=0            total=5            bytes allocated\n"
		  "[memtrack] tid=1234   (main           ) malloc     ts=5            size=100           total=100           ptr=0xabc0\n"
		  "[memtrack] tid=1234   (main           ) free       ts=6             ptr=0xabc0\n"
		  "[memtrack] tid=1234   (main           ) mmap       ts=8            size=4096          total=4196          ptr=0x7f0000000000\n"
		  "[memtrack] tid=1234   (main           ) munmap     ts=9            size=4096          ptr=0x7f0000000000\n"
		  "[memtrack] tid=1234   (main           ) free       ts=10            ptr=0x10\n"
		  "[memtrack] tid=1234   (main           ) realloc    ts=11           size=7             total=4203          ptr=0x20\n"
		  "[memtrack] tid=77     (w?[2J?) free   ) new[]      ts=12           size=1             total=1             ptr=0xffffffffffffffff\n",
		  "lines are what the format says, in the order of time");
	s->ops->free(s);
}

static void test_order(const struct module_table *modules)
{
	struct sink *s = open_sink(modules);
	struct trace_end end = { .stamp = 3000 };

	event(s, 1, 1005, OP_FREE, 0x10, 0, 0, false);
	event(s, 1, 1020, OP_FREE, 0x20, 0, 0, false);
	event(s, 2, 1004, OP_FREE, 0x30, 0, 0, false);
	event(s, 2, 1005, OP_FREE, 0x40, 0, 0, false);
	is_string(flushed(s), "", "nothing is written before its time is complete");
	sync_to(s, 1010);
	flushed(s);
	ok(strstr(text, "0x30\n") && strstr(text, "0x30\n") < strstr(text, "0x10\n") &&
	   strstr(text, "0x10\n") < strstr(text, "0x40\n"), "threads are merged, ties as they came");
	ok(!strstr(text, "0x20\n"), "what is later waits");
	s->ops->record(s, TRACE_END, &end);
	ok(strstr(flushed(s), "0x20\n"), "and comes at the end at the latest");
	s->ops->free(s);
}

static void test_frames(const struct module_table *modules)
{
	struct trace_stack_node nodes[] = {
		{ .id = 8, .parent = 1, .frame = 0x401000 }, { .id = 9, .parent = 8, .frame = 0x402abc },
	};
	struct sink *s = open_sink(modules);

	s->ops->stacks(s, nodes, 2);
	event(s, 1, 1005, OP_MALLOC, 0x10, 1, 9, false);
	event(s, 1, 1006, OP_MALLOC, 0x20, 1, 5, false);
	sync_to(s, 2000);
	flushed(s);
	ok(strstr(text, "ptr=0x10\n[memtrack]   #0  [jit](+0x402abc) [0x402abc]\n"
			"[memtrack]   #1  [jit](+0x401000) [0x401000]\n[memtrack] tid="),
	   "frames follow their event, innermost first");
	ok(strstr(text, "ptr=0x20\n") && !strstr(strstr(text, "ptr=0x20\n"), "#0"), "an unknown stack has none");
	s->ops->free(s);
}

int main(void)
{
	char path[] = "/tmp/sink-text-XXXXXX";
	struct module_table modules;
	uint32_t serials = 0;

	fd = mkstemp(path);
	unlink(path);
	module_table_init(&modules, NULL, 0, NULL, NULL, &serials);
	test_lines(&modules);
	test_order(&modules);
	test_frames(&modules);
	module_table_release(&modules);
	close(fd);
	return done_testing();
}
