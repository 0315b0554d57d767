/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrappers of malloc are no call sites: their callers are. */
#include "tests/tap.h"
#include "tests/unit/model_build.h"

#include "model/blocks.h"
#include "model/report.h"
#include "model/sites.h"
#include "model/stacks.h"

#define APP	0x400000u

static uint32_t string_id = 100, node_id = 8, pc = APP + 0x1000;
static uint64_t address = 0x100000;

/* A place in a function (NULL: without a name) called from parent. */
static uint32_t frame(struct build *b, uint32_t parent, const char *function)
{
	pc += 0x20;
	build_node(b, node_id, parent, pc);
	if (function)
		build_symbol(b, 1, pc - APP, string_id, function, "", 0);
	string_id += 2;
	return node_id++;
}

/* The same place again, called from another. */
static uint32_t frame_again(struct build *b, uint32_t parent, uint32_t at)
{
	build_node(b, node_id, parent, at);
	return node_id++;
}

static void allocate(struct build *b, uint32_t stack, unsigned count, uint64_t size)
{
	for (unsigned i = 0; i < count; i++)
		build_stack_event(b, 1, OP_MALLOC, address += 0x1000, size, stack);
}

static void start(struct build *b)
{
	build_init(b);
	build_module(b, 1, APP, "/bin/app");
	build_thread(b, 1, "main");
}

/* The frame shown for the record whose size is this. */
static const char *shown(struct heap *heap, uint64_t size)
{
	static struct stack_frame frames[16];

	for (uint32_t i = 0; i < block_count(heap); i++) {
		struct block_record r;

		block_get(heap, i, &r);
		if (r.size != size)
			continue;
		stack_frames(heap, r.stack, frames, 16);
		return frames[stack_first_user_frame(heap, r.stack)].function;
	}
	return "?";
}

/* take() and its inner(), each with one place, are called by so many functions. */
static struct heap *wrapped(unsigned callers, bool named)
{
	uint32_t top, take = APP + 0x8000, inner = APP + 0x8020;
	char name[32];
	struct build b;

	start(&b);
	top = frame(&b, 1, "main");
	for (unsigned i = 0; i < callers; i++) {
		uint32_t caller;

		snprintf(name, sizeof(name), "caller%u", i);
		caller = frame(&b, top, name);
		allocate(&b, frame_again(&b, frame_again(&b, caller, take), inner), 3, 1000 + i);
	}
	if (named) {
		build_symbol(&b, 1, take - APP, 50, "take", "", 0);
		build_symbol(&b, 1, inner - APP, 60, "inner", "", 0);
	}
	build_end(&b, TRACE_END_EXIT, 0);
	return build_heap(&b);
}

static void test_learnt(void)
{
	struct heap *heap = wrapped(12, true);

	is_int(strcmp(shown(heap, 1003), "caller3"), 0, "with many callers, it is a wrapper");
	heap_free(heap);
	heap = wrapped(12, false);
	is_int(strcmp(shown(heap, 1003), "caller3"), 0, "without a name, too");
	heap_free(heap);
	heap = wrapped(4, true);
	is_int(strcmp(shown(heap, 1003), "inner"), 0, "with few callers, it is not");
	heap_free(heap);
}

/* serve() is called by many, but allocates in many ways; rare() is not used for much. */
static void test_not_wrappers(void)
{
	char name[32];
	struct build b;
	struct heap *heap;
	uint32_t top, serve = APP + 0x8000, rare = APP + 0x8020;

	start(&b);
	top = frame(&b, 1, "main");
	for (unsigned i = 0; i < 12; i++) {
		uint32_t caller;

		snprintf(name, sizeof(name), "caller%u", i);
		caller = frame(&b, top, name);
		snprintf(name, sizeof(name), "part%u", i);
		allocate(&b, frame(&b, frame_again(&b, caller, serve), name), 100, 100 + i);
		allocate(&b, frame_again(&b, caller, rare), 1, 50 + i);
	}
	build_symbol(&b, 1, serve - APP, 50, "serve", "", 0);
	build_symbol(&b, 1, rare - APP, 60, "rare", "", 0);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(strcmp(shown(heap, 103), "part3"), 0, "many ways to the allocator: no wrapper");
	is_int(strcmp(shown(heap, 53), "rare"), 0, "few allocations: no wrapper");
	heap_free(heap);
}

static void test_named(void)
{
	struct build b;
	struct heap *heap;
	uint32_t top;

	start(&b);
	top = frame(&b, 1, "main");
	allocate(&b, frame(&b, frame(&b, top, "make"), "xmalloc"), 1, 10);
	allocate(&b, frame(&b, frame(&b, frame(&b, top, "make"), "sqlite3Malloc"), NULL), 1, 20);
	allocate(&b, frame(&b, 1, "xmalloc"), 1, 30);
	build_end(&b, TRACE_END_EXIT, 0);
	heap = build_heap(&b);
	is_int(strcmp(shown(heap, 10), "make"), 0, "a known name");
	is_int(strcmp(shown(heap, 20), "make"), 0, "and what is inside of it");
	is_int(strcmp(shown(heap, 30), "xmalloc"), 0, "nothing but a wrapper");
	heap_free(heap);
}

static void test_report(void)
{
	struct heap *heap = wrapped(12, true);
	struct buffer out = BUFFER_INIT;
	const char *text;

	report_text(heap, NULL, &out);
	text = buffer_text(&out);
	ok(strstr(text, "(5 of 12 call sites)"), "a call site for each caller");
	ok(strstr(text, "      inner < take, called by\n      caller11 (app)\n      main (app)\n"), "wrappers in one line");
	ok(!strstr(text, " via "), "one caller needs no list");
	buffer_release(&out);
	heap_free(heap);
	heap = wrapped(4, true);
	report_text(heap, NULL, &out);
	text = buffer_text(&out);
	ok(strstr(text, "11.7 KiB in 12 blocks, 4 stacks\n      inner (app)\n"
		  "      25 %  2.9 KiB in 3 blocks via take < caller3 < main\n"
		  "      25 %  2.9 KiB in 3 blocks via take < caller2 < main\n"), "who called, most first");
	if (getenv("SHOW"))
		puts(text);
	buffer_release(&out);
	heap_free(heap);
}

/* In the smallest steps all comes out the same, a bit later. */
static void test_steps(void)
{
	struct report_options options = REPORT_OPTIONS_INIT;
	struct buffer whole = BUFFER_INIT, out = BUFFER_INIT;
	struct heap *heap = wrapped(12, true), *other = wrapped(12, true);
	struct report_job *job;
	unsigned steps = 1;

	ok(!stack_learn_step(heap, 1), "a step is not all of it");
	is_int(strcmp(shown(heap, 1003), "inner"), 0, "until all is looked at names alone tell");
	while (!stack_learn_step(heap, 1))
		steps++;
	ok(steps > 24, "twelve sites, looked at twice, take %u steps", steps);
	is_int(strcmp(shown(heap, 1003), "caller3"), 0, "then use does, too");
	ok(stack_learn_step(heap, 1), "and there is no more to do");

	report_text(heap, &options, &whole);
	job = report_begin(other, &options, &out);
	for (steps = 1; !report_step(job, 1); steps++)
		;
	ok(steps > 60, "a report in %u steps", steps);
	is_int(strcmp(buffer_text(&out), buffer_text(&whole)), 0, "is the same report");
	report_free(job);
	job = report_begin(other, &options, &out);
	for (steps = 0; steps < 12; steps++)
		report_step(job, 1);
	report_free(job);
	buffer_release(&whole);
	buffer_release(&out);
	heap_free(heap);
	heap_free(other);
}

int main(void)
{
	test_steps();
	test_learnt();
	test_not_wrappers();
	test_named();
	test_report();
	return done_testing();
}
