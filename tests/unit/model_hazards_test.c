/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What leads leak reports and accounts astray: one trace for each trap, as the reader must take it. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include <string.h>

#include "model/check.h"
#include "model/findings.h"
#include "model/report.h"
#include "model/select.h"
#include "model/sites.h"
#include "model/threads.h"

#define APP	0x400000u
#define LIBC	0x7f0000000000u
#define CXX	0x7f1000000000u

static struct heap_totals totals_of(struct heap *heap)
{
	struct heap_totals totals;

	heap_totals(heap, HEAP_BLOCKS, &totals);
	return totals;
}

static char *report_of(struct heap *heap)
{
	struct report_options options = REPORT_OPTIONS_INIT;
	struct buffer out = BUFFER_INIT;

	options.width = 500;
	report_text(heap, &options, &out);
	return buffer_detach(&out);
}

static bool says(struct heap *heap, const char *text)
{
	char *report = report_of(heap);
	bool found = strstr(report, text) != NULL;

	free(report);
	return found;
}

/* Whatever fails gives no block, as NULL or as MAP_FAILED. */
static void test_failed(void)
{
	static const uint8_t ops[] = { OP_MALLOC, OP_CALLOC, OP_REALLOC, OP_NEW_NT, OP_STRDUP, OP_MMAP, OP_SBRK };
	struct heap_totals pages;
	struct build b;
	struct heap *heap;

	build_init(&b);
	for (size_t i = 0; i < sizeof(ops); i++) {
		build_event(&b, 1, ops[i], 0, 1000);
		build_event(&b, 1, ops[i], UINT64_MAX, 1000);
	}
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	heap_totals(heap, HEAP_PAGES, &pages);
	is_int(totals_of(heap).allocs + pages.allocs, 0, "failed calls make no blocks");
	is_int(totals_of(heap).leaked, 0, "so nothing leaks at NULL");
	heap_free(heap);
}

/* A block made by these two functions, called by main of the program. */
static void site(struct build *b, uint32_t n, uint64_t module, const char *inner, uint64_t outer_module,
	const char *outer)
{
	uint64_t at = 0x1000 + 0x20 * n;

	build_node(b, 100 + 2 * n, 10, outer_module + at + 0x10);
	build_node(b, 101 + 2 * n, 100 + 2 * n, module + at);
	build_symbol(b, module == APP ? 1 : module == LIBC ? 2 : 3, at, 1000 + 10 * n, inner, "", 0);
	build_symbol(b, outer_module == APP ? 1 : outer_module == LIBC ? 2 : 3, at + 0x10, 1004 + 10 * n, outer, "", 0);
	build_stack_event(b, 1, OP_CALLOC, 0x10000 + 0x1000 * n, 100, 101 + 2 * n);
}

struct cache {
	const char *name;
	uint64_t inner_module;
	const char *inner;
	uint64_t outer_module;
	const char *outer;
	bool runtime;
};

static const struct cache caches[] = {
	{ "a thread's TLS block", LIBC, "_dl_allocate_tls", LIBC, "pthread_create@@GLIBC_2.34", true },
	{ "a thread's DTV", LIBC, "allocate_dtv_entry", LIBC, "__tls_get_addr", true },
	{ "stdio's buffer", LIBC, "_IO_file_doallocate", LIBC, "_IO_doallocbuf", true },
	{ "getpwnam's buffer", LIBC, "getpwnam", APP, "user_of", true },
	{ "the locale", LIBC, "_nl_load_locale_from_archive", LIBC, "setlocale", true },
	{ "iconv's modules", LIBC, "__gconv_load_conf", LIBC, "__gconv_open", true },
	{ "libstdc++'s pool", CXX, "(anonymous namespace)::pool::pool()", CXX, "_GLOBAL__sub_I_eh_alloc.cc", true },
	{ "the time zone", LIBC, "__tzfile_read", LIBC, "tzset_internal", true },
	{ "the program's own pool", APP, "(anonymous namespace)::pool::pool()", APP, "start", false },
	{ "the program's own tz function", APP, "tzread", APP, "start", false },
	{ "what the program asks libc for", LIBC, "strdup", APP, "start", false },
	{ "a stdio stream that the program opened", LIBC, "fopen", APP, "start", false },
};
#define CACHES (sizeof(caches) / sizeof(caches[0]))

static void test_runtime(void)
{
	struct build b;
	struct heap *heap;
	uint64_t kept = 0;

	build_init(&b);
	build_module(&b, 1, APP, "/bin/app");
	build_module(&b, 2, LIBC, "/lib/x86_64-linux-gnu/libc.so.6");
	build_module(&b, 3, CXX, "/lib/x86_64-linux-gnu/libstdc++.so.6");
	build_node(&b, 10, 1, APP + 0x500);
	build_symbol(&b, 1, 0x500, 900, "main", "", 0);
	for (uint32_t i = 0; i < CACHES; i++) {
		site(&b, i, caches[i].inner_module, caches[i].inner, caches[i].outer_module, caches[i].outer);
		kept += caches[i].runtime;
	}
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	for (uint32_t i = 0; i < CACHES; i++) {
		struct block_record r;

		block_get(heap, i, &r);
		is_int(r.runtime, caches[i].runtime, "%s is %s", caches[i].name, caches[i].runtime ?
		       "the runtime's" : "the program's");
	}
	is_int(totals_of(heap).runtime, kept, "the runtime's are a total of their own");
	is_int(totals_of(heap).leaked, CACHES - kept, "the others leaked");
	heap_free(heap);
}

/* libstdc++ inside the program: its pool is told by its size. */
static void test_static_pool(void)
{
	struct block_record r;
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_module(&b, 1, APP, "/bin/app");
	build_node(&b, 10, 1, APP + 0x500);
	build_symbol(&b, 1, 0x500, 900, "(anonymous namespace)::pool::pool()", "", 0);
	build_stack_event(&b, 1, OP_MALLOC, 0x10000, 73728, 10);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	block_get(heap, 0, &r);
	ok(r.runtime, "the pool of a static libstdc++ is the runtime's");
	heap_free(heap);
}

/* Ends: of the process that was followed, whose pid is told. */
static void test_end(enum trace_end_how how, uint32_t value, const char *words, bool leaks)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_fact(&b, "pid", "4711");
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_end(&b, how, value);
	heap = build_heap(&b);
	ok(says(heap, "process 4711"), "%s: the report names the pid", words);
	ok(says(heap, words), "and how it ended");
	is_int(totals_of(heap).leaked, leaks, leaks ? "what it left is leaked" : "nothing is called leaked");
	heap_free(heap);
}

/* A daemon's parent leaves at once: its heap lives on in the child. */
static void test_daemon(bool child_forked)
{
	struct trace_relative child = {
		.number = 1, .pid = 99, .parent = 4711, .came = child_forked ? TRACE_CAME_FORK : TRACE_CAME_EXEC,
		.name = trace_string("daemon"), .file = trace_string("daemon.mtk"),
	};
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_fact(&b, "pid", "4711");
	build_event(&b, 1, OP_MALLOC, 0x1000, 10);
	build_end(&b, TRACE_END_EXIT, 0);
	trace_put_relative(&b.out, &child);
	heap = build_heap(&b);
	is_int(says(heap, "fork child 99 went on with a copy"), child_forked, child_forked ?
	       "a parent that leaves a fork child: the report says that its heap lives on" :
	       "a child with another program has no part in it");
	ok(says(heap, "daemon.mtk"), "and where the child's trace is");
	heap_free(heap);
}

/* The events of one address in an order that clocks of two processors may give. */
static void test_reuse(void)
{
	struct heap_status status;
	struct build b;
	struct heap *heap;

	build_init(&b);
	for (uint32_t i = 0; i < 64; i++) {
		build_at(&b, 1 + i % 2, 1000 + 100 * i, OP_MALLOC, 0x1000, 8, 0);
		if (i < 63)
			build_at(&b, 1 + i % 2, 1000 + 100 * i + 105, OP_FREE, 0x1000, 0, 0);
	}
	b.stamp = 20000;
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	heap_status(heap, &status);
	is_int(totals_of(heap).live, 1, "an address that is handed on all the time holds one block");
	is_int(status.unknown_frees + status.implied_frees, 0, "and every free found its own");
	is_int(finding_count(heap), 0, "none is called wrong");
	heap_free(heap);
}

static void test_requested(void)
{
	struct block_record r;
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 1);
	build_event(&b, 1, OP_FREE, 0x1000, 24);	/* what a usable size would be is not looked at */
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	block_get(heap, 0, &r);
	is_int(r.size, 1, "the size is the one asked for");
	is_int(totals_of(heap).freed_bytes, 1, "the same is taken away");
	heap_free(heap);
}

static void test_never_freed(void)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	for (uint32_t i = 0; i < 100; i++)
		build_event(&b, 1, OP_MALLOC, 0x1000 + 64 * i, 33);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap).peak_bytes, 3300, "without any free the peak is all there was");
	is_int(totals_of(heap).peak, 100, "in blocks too");
	heap_free(heap);
}

static void test_one_stack(void)
{
	struct heap_site s;
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_module(&b, 1, APP, "/bin/app");
	build_node(&b, 10, 1, APP + 0x500);
	for (uint32_t i = 0; i < 20000; i++)
		build_stack_event(&b, 1 + i % 8, OP_MALLOC, 0x10000 + 16ull * i, 4, 10);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	site_get(heap, 0, &s);
	is_int(site_count(heap), 1, "eight threads, one stack");
	is_int(s.live, 20000, "all its blocks");
	is_int(s.live_bytes, 80000, "and bytes");
	ok(s.many_threads, "of several threads");
	heap_free(heap);
}

/* Sizes that a 32-bit counter, or a signed one, would not hold. */
static void test_huge(void)
{
	struct build b;
	struct heap *heap;

	build_init(&b);
	for (uint32_t i = 0; i < 6; i++)
		build_event(&b, 1, OP_MALLOC, 0x1000 + 16 * i, 1ull << 46);
	for (uint32_t i = 0; i < 5; i++)
		build_event(&b, 2, OP_FREE, 0x1000 + 16 * i, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(totals_of(heap).alloc_bytes, 6ull << 46, "sums of huge sizes");
	is_int(totals_of(heap).live_bytes, 1ull << 46, "and differences");
	ok(!says(heap, " -1") && !says(heap, "-2"), "no negative number is shown");
	ok(says(heap, "384.0 TiB"), "but the right one");
	heap_free(heap);
}

static void freed_before(const struct selection *s, struct scan_before *out)
{
	struct scan *scan = scan_all(scan_of_before(s));

	scan_before(scan, out);
	scan_free(scan);
}

/* A time in which more is freed than made is no negative balance. */
static void test_range(void)
{
	struct select_filter filter = SELECT_FILTER_INIT;
	struct scan_before before;
	struct select_sums sums;
	struct selection *s;
	struct build b;
	struct heap *heap;

	build_init(&b);
	for (uint32_t i = 0; i < 10; i++)
		build_event(&b, 1, OP_MALLOC, 0x1000 + 16 * i, 100);
	for (uint32_t i = 0; i < 8; i++)
		build_event(&b, 1, OP_FREE, 0x1000 + 16 * i, 0);
	build_event(&b, 1, OP_MALLOC, 0x9000, 5);
	build_event(&b, 1, OP_FREE, 0x9000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	s = select_new(heap);
	freed_before(s, &before);
	is_int(before.count, 0, "without a range nothing is before it");
	filter.range = true;
	filter.range_from_ns = (1000 + 1350) * BUILD_NS_PER_QUANTUM;	/* three of the frees are earlier */
	filter.range_to_ns = UINT64_MAX;
	select_filter(s, &filter);
	while (!select_step(s, 1000))
		;
	select_sums(s, &sums);
	is_int(sums.count, 1, "one block was made in the range");
	is_int(sums.freed_bytes, 5, "and freed");
	freed_before(s, &before);
	is_int(before.count, 5, "five were freed in it, but made before");
	is_int(before.bytes, 500, "so many bytes");
	filter.range = false;
	filter.delta = true;
	filter.delta_ns = (1000 + 1800) * BUILD_NS_PER_QUANTUM - 1;
	select_filter(s, &filter);
	freed_before(s, &before);
	is_int(before.count, 1, "the same since a time");
	select_free(s);
	heap_free(heap);
}

/* The gate with findings, and with a sample. */
static int gate(struct heap *heap, uint64_t leaked, bool findings)
{
	struct check_options options = CHECK_OPTIONS_INIT;
	struct buffer out = BUFFER_INIT;
	int status;

	options.max_leaked = leaked;
	options.findings = findings;
	status = check_heap(heap, &options, &out);
	buffer_release(&out);
	return status;
}

static void test_gate(void)
{
	struct heap_totals t;
	struct build b;
	struct heap *heap;

	build_init(&b);
	build_event(&b, 1, OP_FOUND_UNKNOWN, 0x5000, FOUND_SIZE(OP_FREE, 0));
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(gate(heap, 0, false), 0, "findings do not fail the gate unasked");
	is_int(gate(heap, 0, true), 1, "they do when asked for");
	heap_free(heap);

	build_init(&b);
	build_fact(&b, "sample", "1000");
	for (uint32_t i = 0; i < 100; i++)
		build_event(&b, 1, OP_MALLOC, 0x1000 + 16 * i, 10);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	t = totals_of(heap);
	ok(t.margin.leaked_bytes > 1000, "a sample has a margin");
	is_int(gate(heap, 0, false), 1, "a recorded leak is one");
	is_int(gate(heap, t.leaked_bytes - t.margin.leaked_bytes - 1, false), 1, "well above the limit: found");
	is_int(gate(heap, t.leaked_bytes - 1, false), 2, "a little above: nobody can tell");
	is_int(gate(heap, t.leaked_bytes + 1, false), 2, "nor a little below");
	is_int(gate(heap, t.leaked_bytes + t.margin.leaked_bytes, false), 0, "well below: clean");
	ok(says(heap, "A sample: about one block in 1000 B"), "the report says that it is one");
	heap_free(heap);
}

int main(void)
{
	test_failed();
	test_runtime();
	test_static_pool();
	test_end(TRACE_END_EXIT, 3, "exited with status 3", true);
	test_end(TRACE_END_SIGNAL, 6, "killed by signal 6", true);
	test_end(TRACE_END_DETACH, 0, "goes on untraced", false);
	test_end(TRACE_END_UNKNOWN, 0, "ended", true);
	test_daemon(true);
	test_daemon(false);
	test_reuse();
	test_requested();
	test_never_freed();
	test_one_stack();
	test_huge();
	test_range();
	test_gate();
	return done_testing();
}
