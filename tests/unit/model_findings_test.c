/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrong frees: as the hook reports them, and inferred where it did not look. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/findings.h"
#include "model/report.h"
#include "model/state.h"

#include <signal.h>

enum { ALLOC_STACK = 10, FREE_STACK, OTHER_STACK, EARLIER_STACK };

static void start(struct build *b)
{
	build_init(b);
	build_thread(b, 1, "main");
	build_thread(b, 2, "worker");
	build_module(b, 1, 0x400000, "/usr/bin/prog");
	build_node(b, ALLOC_STACK, 1, 0x400100);
	build_node(b, FREE_STACK, 1, 0x400200);
	build_node(b, OTHER_STACK, 1, 0x400300);
	build_node(b, EARLIER_STACK, 1, 0x400400);
}

/* What the hook writes: the finding, then the free, of one stamp. */
static void found(struct build *b, uint32_t thread, uint8_t what, uint8_t op, unsigned family, uint64_t ptr,
	uint32_t stack)
{
	build_stack_event(b, thread, what, ptr, FOUND_SIZE(op, family), stack);
	build_at(b, thread, b->stamp, op == OP_REALLOC ? OP_REALLOC_FREE : op, ptr, 0, 0);
}

static struct finding get(const struct heap *heap, size_t index)
{
	struct finding f;

	finding_get(heap, index, &f);
	return f;
}

static struct finding_sums sums_of(const struct heap *heap)
{
	struct finding_sums sums;

	finding_sums(heap, &sums);
	return sums;
}

static void check_mismatch(struct heap *heap)
{
	struct finding f = get(heap, 0);

	is_int(finding_count(heap), 1, "one group");
	is_int(f.kind, FINDING_MISMATCH, "a mismatch");
	ok(!f.inferred, "seen by the hook");
	is_int(f.count, 2, "twice from the same places");
	is_int(f.size, 40, "size of the example");
	is_int(f.ptr, 0x1000, "its pointer");
	is_string(heap_op_label(f.alloc.op), "new[]", "allocated by");
	is_string(finding_op_label(f.free.op), "free", "freed by");
	is_int(f.alloc.thread, 0, "thread of the allocation");
	is_int(f.free.thread, 1, "of the free");
	is_int(f.alloc.ns, 1100 * BUILD_NS_PER_QUANTUM, "time of the allocation");
	is_int(f.free.ns, 1300 * BUILD_NS_PER_QUANTUM, "of the free");
	ok(f.alloc.stack != HEAP_NONE && f.free.stack != HEAP_NONE && f.alloc.stack != f.free.stack, "both stacks");
	is_int(sums_of(heap).all, 2, "all of them");
	is_int(sums_of(heap).inferred, 0, "none twice, by inference too");
	ok(!f.fatal, "the program lived");
}

/* The same trace with records and without: what the report sees is what the viewer sees. */
static void test_mismatch(bool records)
{
	struct buffer file = BUFFER_INIT;
	struct build b;
	struct heap *heap;

	start(&b);
	build_stack_event(&b, 1, OP_NEWA, 0x1000, 40, ALLOC_STACK);
	build_stack_event(&b, 1, OP_NEWA, 0x2000, 80, ALLOC_STACK);
	found(&b, 2, OP_FOUND_MISMATCH, OP_FREE, OP_FAMILY_NEW_ARRAY, 0x1000, FREE_STACK);
	found(&b, 2, OP_FOUND_MISMATCH, OP_FREE, OP_FAMILY_NEW_ARRAY, 0x2000, FREE_STACK);
	build_end(&b, TRACE_END_EXIT, 0);
	build_file(&b, &file);
	heap = build_feed(file.data, file.length, 4096, records);
	heap_end(heap);
	check_mismatch(heap);
	if (records) {
		struct block_record r;

		is_int(get(heap, 0).record, 0, "the record of the example");
		block_get(heap, 1, &r);
		ok(r.mismatched, "its record is marked");
		is_int(finding_of_record(heap, 1), 0, "and leads to the group");
	}
	heap_free(heap);
	buffer_release(&file);
	free(b.out.data);
}

static void test_double(void)
{
	struct build b;
	struct heap *heap;
	struct finding f;

	start(&b);
	build_stack_event(&b, 1, OP_MALLOC, 0x1000, 64, ALLOC_STACK);
	build_stack_event(&b, 2, OP_FREE, 0x1000, 0, EARLIER_STACK);
	found(&b, 1, OP_FOUND_DOUBLE, OP_REALLOC, OP_FAMILY_MALLOC, 0x1000, FREE_STACK);
	build_end(&b, TRACE_END_SIGNAL, SIGABRT);
	heap = build_heap(&b);
	f = get(heap, 0);
	is_int(finding_count(heap), 1, "one finding");
	is_int(f.kind, FINDING_DOUBLE, "a double free");
	is_int(f.size, 64, "the block it was");
	ok(f.alloc.known && f.earlier.known && f.free.known, "three acts are known");
	is_int(f.earlier.thread, 1, "who freed it first");
	is_int(f.earlier.ns, 1200 * BUILD_NS_PER_QUANTUM, "and when");
	ok(f.earlier.stack != HEAP_NONE && f.earlier.stack != f.free.stack, "and where");
	is_string(finding_op_label(f.free.op), "realloc", "the second was a realloc");
	ok(f.fatal, "the program was aborted there");
	is_int(finding_of_record(heap, 0), 0, "the record of the block leads there");
	is_int(sums_of(heap).all, 1, "counted once");
	heap_free(heap);
}

static void test_unknown(void)
{
	struct build b;
	struct heap *heap;
	struct finding f;

	start(&b);
	found(&b, 1, OP_FOUND_UNKNOWN, OP_FREE, OP_FAMILY_NONE, 0x7000, FREE_STACK);
	build_event(&b, 1, OP_MALLOC, 0x8000, 8);
	build_end(&b, TRACE_END_SIGNAL, SIGABRT);
	heap = build_heap(&b);
	f = get(heap, 0);
	is_int(f.kind, FINDING_UNKNOWN, "unknown");
	ok(!f.alloc.known && f.site == HEAP_NONE && !f.family, "nothing is known of its block");
	ok(!f.fatal, "the thread did something else before the abort");
	heap_free(heap);
}

/* The finding comes alone when the block was not recorded: its free is not sent. */
static void test_alone(void)
{
	struct build b;
	struct heap *heap;
	struct finding f;

	start(&b);
	build_fact(&b, "sample", "1000");
	build_stack_event(&b, 1, OP_FOUND_MISMATCH, 0x1000, FOUND_SIZE(OP_DELETE, OP_FAMILY_MALLOC), FREE_STACK);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	f = get(heap, 0);
	is_int(finding_count(heap), 1, "a finding without a free");
	ok(!f.alloc.known, "nobody knows who allocated it");
	is_string(f.family, "malloc", "but what");
	heap_free(heap);
}

static void test_inferred(void)
{
	struct build b;
	struct heap *heap;

	start(&b);
	build_stack_event(&b, 1, OP_NEW, 0x1000, 16, ALLOC_STACK);
	build_event(&b, 1, OP_DELETEA, 0x1000, 0);
	build_stack_event(&b, 1, OP_NEW, 0x1000, 16, ALLOC_STACK);
	build_event(&b, 1, OP_REALLOC_FREE, 0x1000, 0);
	build_event(&b, 1, OP_REALLOC, 0x3000, 0);
	build_event(&b, 1, OP_FREE, 0x3000, 0);
	build_event(&b, 1, OP_FREE, 0x3000, 0);
	build_event(&b, 1, OP_FREE, 0x9000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(finding_count(heap), 4, "four groups");
	is_int(get(heap, 0).kind, FINDING_MISMATCH, "delete[] of what new made");
	is_int(get(heap, 1).kind, FINDING_MISMATCH, "realloc of what new made");
	is_string(finding_op_label(get(heap, 1).free.op), "realloc", "which is called so");
	is_int(get(heap, 2).kind, FINDING_DOUBLE, "a double free");
	is_int(get(heap, 3).kind, FINDING_UNKNOWN, "a wild one");
	ok(get(heap, 0).inferred && get(heap, 3).inferred, "all by inference");
	is_int(get(heap, 0).free.stack, HEAP_NONE, "frees had no stacks");
	is_int(sums_of(heap).inferred, 4, "counted as such");
	heap_free(heap);
}

static void test_alignment(void)
{
	struct build b;
	struct heap *heap;

	start(&b);
	build_event(&b, 1, OP_NEW_AL, 0x1000, 16);
	build_event(&b, 1, OP_DELETE_SZ_AL, 0x1000, 0);
	build_event(&b, 1, OP_NEWA_AL_NT, 0x1000, 16);
	build_event(&b, 1, OP_DELETEA_AL, 0x1000, 0);
	build_event(&b, 1, OP_NEW_NT, 0x1000, 16);
	build_event(&b, 1, OP_DELETE_SZ, 0x1000, 0);
	build_event(&b, 1, OP_MEMALIGN, 0x1000, 16);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_NEW_AL, 0x2000, 16);
	build_event(&b, 1, OP_DELETE, 0x2000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(finding_count(heap), 1, "only the last pair does not fit");
	is_string(finding_op_label(get(heap, 0).alloc.op), "new (aligned)", "new with an alignment");
	is_string(finding_op_label(get(heap, 0).free.op), "delete", "delete without");
	heap_free(heap);
}

/* Clocks of two processors: the block's allocation comes after its free, and all is well. */
static void test_retracted(void)
{
	struct build b;
	struct heap *heap;

	start(&b);
	build_at(&b, 1, 2000, OP_FREE, 0x1000, 0, 0);
	build_at(&b, 2, 2010, OP_MALLOC, 0x1000, 8, 0);
	b.stamp = 3000;
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(finding_count(heap), 0, "a pointer that is explained later is no finding");
	is_int(sums_of(heap).all, 0, "nor counted");
	heap_free(heap);
}

static void test_filtered(void)
{
	struct build b;
	struct heap *heap;

	start(&b);
	build_fact(&b, "min-size", "100");
	build_event(&b, 1, OP_MALLOC, 0x1000, 200);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_event(&b, 1, OP_FREE, 0x2000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(finding_count(heap), 0, "a trace that leaves out allocations tells nothing about lone frees");
	heap_free(heap);
}

/* A child of fork frees what its parent made; a hook that watches tells all itself. */
static void test_not_inferred(const char *key, const char *value)
{
	struct build b;
	struct heap *heap;

	start(&b);
	build_fact(&b, key, value);
	build_event(&b, 1, OP_FREE, 0x2000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(finding_count(heap), 0, "%s %s: a lone free is no finding", key, value);
	heap_free(heap);
}

/* A trace of a process that ran before: what it frees first was there already. */
static void test_attached(bool left_out)
{
	struct buffer out = BUFFER_INIT;
	struct heap_status status;
	struct build b;
	struct heap *heap;

	start(&b);
	build_fact(&b, "attached", "1");
	if (left_out)
		build_fact(&b, "min-size", "100");
	build_event(&b, 1, OP_FREE, 0x2000, 0);
	build_event(&b, 1, OP_REALLOC_FREE, 0x3000, 0);
	build_event(&b, 1, OP_REALLOC, 0x4000, 200);
	build_event(&b, 1, OP_FREE, 0x4000, 0);
	build_end(&b, TRACE_END_DETACH, 0);
	heap = build_heap(&b);
	heap_status(heap, &status);
	ok(status.attached, "attached");
	is_int(status.older_frees, left_out ? 0 : 2, "frees of older blocks%s", left_out ? " cannot be told apart" : "");
	is_int(finding_count(heap), 0, "are no findings");
	report_text(heap, NULL, &out);
	is_int(strstr(buffer_text(&out), "2 blocks          ?  freed, allocated before attach") != NULL, !left_out,
	       "the report says %s", left_out ? "nothing" : "so");
	buffer_release(&out);
	heap_free(heap);
}

static struct heap *text_heap(const char *text)
{
	struct heap *heap = build_feed(text, strlen(text), 4096, true);

	heap_end(heap);
	return heap;
}

static void test_text(void)
{
	struct heap *heap = text_heap(
		"[memtrack] tid=7      (main           ) new        ts=100          size=8             total=8             ptr=0x1000\n"
		"[memtrack] tid=7      (main           ) free       ts=200           ptr=0x1000\n"
		"[memtrack] tid=7      (main           ) malloc     ts=300          size=8             total=16            ptr=0x2000\n"
		"[memtrack] tid=7      (main           ) free       ts=400           ptr=0x2000\n"
		"[memtrack] tid=7      (main           ) free       ts=500           ptr=0x2000\n");

	is_int(finding_count(heap), 2, "text log: a mismatch and a double free");
	is_int(get(heap, 1).kind, FINDING_DOUBLE, "the double one");
	is_int(sums_of(heap).kinds[FINDING_DOUBLE], 1, "counted");
	heap_free(heap);
	heap = text_heap(
		"[memtrack] tid=7      (main           ) malloc     ts=300          size=8000          total=8000          ptr=0x2000\n"
		"[memtrack] tid=7      (main           ) free       ts=400           ptr=0x2000\n"
		"[memtrack] tid=7      (main           ) free       ts=500           ptr=0x2000\n"
		"[memtrack] tid=7      (main           ) free       ts=600           ptr=0x3000\n"
		"[memtrack] tid=7      (main           ) free       ts=700           ptr=0x4000\n");
	is_int(finding_count(heap), 0, "a log with many lone frees leaves allocations out: no double free is told");
	is_int(sums_of(heap).all, 0, "nor counted");
	heap_free(heap);
}

static void test_cap(void)
{
	struct build b;
	struct heap *heap;

	start(&b);
	for (uint32_t i = 0; i < FINDING_GROUPS_MAX + 10; i++) {
		build_node(&b, 100 + i, 1, 0x410000 + i);
		found(&b, 1, OP_FOUND_UNKNOWN, OP_FREE, OP_FAMILY_NONE, 0x7000, 100 + i);
	}
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(finding_count(heap), FINDING_GROUPS_MAX, "groups are capped");
	is_int(sums_of(heap).all, FINDING_GROUPS_MAX + 10, "the sum is not");
	is_int(sums_of(heap).beyond, 10, "what has no group is told");
	heap_free(heap);
}

static void test_exec(void)
{
	struct trace_exec exec = { 0, { "/bin/true", 9 } };
	struct build b;
	struct heap *heap;

	start(&b);
	build_event(&b, 1, OP_MALLOC, 0x1000, 8);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	exec.stamp = b.stamp += 100;
	trace_put_exec(&b.out, &exec);
	build_event(&b, 1, OP_FREE, 0x1000, 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(get(heap, 0).kind, FINDING_UNKNOWN, "what the program before freed does not make a double free");
	heap_free(heap);
}

int main(void)
{
	test_mismatch(true);
	test_mismatch(false);
	test_double();
	test_unknown();
	test_alone();
	test_inferred();
	test_alignment();
	test_retracted();
	test_filtered();
	test_attached(false);
	test_attached(true);
	test_not_inferred("came", "fork");
	test_not_inferred("findings", "1");
	test_text();
	test_cap();
	test_exec();
	return done_testing();
}
