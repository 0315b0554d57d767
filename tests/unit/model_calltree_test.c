/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees of a heap that grows, against stacks looked through one by one; the parts of the peak. */
#include "tests/tap.h"
#include "tests/unit/model_grow.h"

#include "model/calltree.h"
#include "model/threads.h"

#define THREADS		3u
#define ADDRESSES	300u
#define NODES		60u
#define ROUNDS		40u
#define FRAMES		64u

static bool live[ADDRESSES];

/* Sixteen places of two modules, in stacks of any depth and some of them more than once in one. */
static void begin(struct build *b)
{
	build_module(b, 1, 0x400000, "/bin/app");
	build_module(b, 2, 0x7f0000000000, "/lib/libother.so");
	for (uint32_t i = 0; i < NODES; i++)
		build_node(b, 8 + i, i < 3 ? 1 : 8 + (uint32_t)build_random(i),
			   (i % 3 ? 0x401000 : 0x7f0000001000) + 16 * build_random(8));
	for (uint32_t t = 1; t <= THREADS; t++)
		build_thread(b, t, t == 2 ? "Needle" : "hay");
}

/* Two places of each function, so that they come together. */
static void name_all(struct build *b)
{
	static const char *const names[] = { "alpha", "beta", "gamma", "delta" };

	for (uint32_t i = 0; i < 8; i++) {
		build_symbol(b, 1, 0x1000 + 16 * i, 10 + 4 * i, names[i / 2], "a.c", 10 + i);
		build_symbol(b, 2, 0x1000 + 16 * i, 12 + 4 * i, names[i / 2], "o.c", 10 + i);
	}
}

static void grow(struct build *b, struct heap *heap, unsigned round, bool more)
{
	b->out.length = 0;
	if (round == 0) {
		struct trace_clock clock = { 0, (uint64_t)BUILD_NS_PER_QUANTUM << 32 };

		trace_put_clock(&b->out, &clock);
		begin(b);
	}
	for (unsigned i = 0; i < 150; i++) {
		uint32_t thread = 1 + (uint32_t)build_random(THREADS), index = (uint32_t)build_random(ADDRESSES);
		uint64_t ptr = 0x100000 + 0x1000 * (uint64_t)index;
		uint32_t stack = build_random(20) ? 8 + (uint32_t)build_random(NODES) : 0;

		if (build_random(30) == 0)
			build_stack_event(b, thread, build_random(2) ? OP_MMAP : OP_MUNMAP,
					  0x7e0000000000 + 4096 * build_random(32), 4096 * (1 + build_random(8)), stack);
		else if ((live[index] = !live[index]))
			build_stack_event(b, thread, OP_MALLOC, ptr, build_random(3000) * (1 + round % 7), stack);
		else
			build_event(b, thread, OP_FREE, ptr, 0);
		if (i % 5 == 0) {
			build_stack_event(b, thread, OP_MALLOC, 0x90000000, 8, 8);
			build_event(b, thread, OP_FREE, 0x90000000, 0);
		}
	}
	if (round == 20)
		build_event(b, 3, OP_EXIT, 0, 1);
	if (round == 25)
		name_all(b);
	build_sync(b);
	if (!more)
		build_end(b, TRACE_END_EXIT, 0);
	feed_grown(b, heap);
}

static void settle(struct selection *s, struct calltree *t)
{
	for (int i = 0; i < 100000 && !(select_step(s, 1 + build_random(700)) & calltree_step(t, 1 + build_random(40))); i++)
		;
}

static bool same(const struct amounts *a, const struct amounts *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool exceeds(const struct amounts *a, const struct amounts *b)
{
	return a->count > b->count || a->bytes > b->bytes || a->live > b->live || a->live_bytes > b->live_bytes ||
	       a->leaked > b->leaked || a->leaked_bytes > b->leaked_bytes || a->peak > b->peak ||
	       a->peak_bytes > b->peak_bytes || a->temporary > b->temporary;
}

/* Children are never more than their parent, and the rest is what it has by itself. */
static unsigned sums_differ(struct calltree *t)
{
	unsigned wrong = 0;

	for (uint32_t node = 0; node < calltree_count(t); node++) {
		struct amounts all, self, sum = { 0 };

		calltree_amounts(t, node, &all);
		calltree_self(t, node, &self);
		for (uint32_t child = calltree_first_child(t, node); child != HEAP_NONE;
		     child = calltree_next_sibling(t, child)) {
			struct amounts more;

			calltree_amounts(t, child, &more);
			amounts_add(&sum, &more, 1);
			wrong += calltree_parent(t, child) != node;
		}
		wrong += exceeds(&sum, &all);
		amounts_add(&sum, &self, 1);
		wrong += !same(&sum, &all);
	}
	return wrong;
}

/* A function of a module, as text. */
static void label(const struct stack_frame *f, char *out, size_t size)
{
	if (f->function)
		snprintf(out, size, "%s in %s", f->function, f->module);
	else
		snprintf(out, size, "%llx in %s", (unsigned long long)f->module_offset, f->module);
}

/* Does the way to this node begin the stack of a site, from its start outermost or innermost? */
static bool leads(struct calltree *t, const struct heap *heap, uint32_t stack, uint32_t node, bool down)
{
	struct stack_frame frames[FRAMES], frame;
	size_t count = stack_frames(heap, stack, frames, FRAMES);
	int user = stack_first_user_frame(heap, stack);
	unsigned depth = calltree_depth(t, node);
	char want[128], got[128];
	bool mixed;

	if (!down && user > 0) {
		memmove(frames, frames + user, (count - (size_t)user) * sizeof(*frames));
		count -= (size_t)user;
	}
	if (depth > count)
		return false;
	for (unsigned at = depth; at > 0; at--, node = calltree_parent(t, node)) {
		if (!calltree_frame(t, node, &frame, &mixed))
			return false;
		label(&frame, got, sizeof(got));
		label(&frames[down ? count - at : at - 1], want, sizeof(want));
		if (strcmp(got, want) != 0)
			return false;
	}
	return true;
}

static unsigned stacks_differ(struct calltree *t, struct heap *heap, const struct selection *s, bool down)
{
	unsigned wrong = 0;

	for (uint32_t node = 1; node < calltree_count(t); node++) {
		struct amounts all, sum = { 0 };
		struct stack_frame frame;
		bool mixed;

		if (!calltree_frame(t, node, &frame, &mixed))
			continue;
		calltree_amounts(t, node, &all);
		if (!all.count)
			continue;
		for (size_t row = 0; row < select_group_count(s); row++) {
			struct select_group g;
			struct heap_site site;
			struct amounts a;

			select_group_at(s, row, &g);
			site_get(heap, g.site, &site);
			select_group_amounts(&g, &a);
			if (site.stack != HEAP_NONE && leads(t, heap, site.stack, node, down))
				amounts_add(&sum, &a, 1);
		}
		wrong += !same(&all, &sum);
	}
	return wrong;
}

static unsigned root_differs(struct calltree *t, const struct selection *s)
{
	struct amounts all, threads = { 0 };
	struct select_sums sums;

	select_sums(s, &sums);
	calltree_amounts(t, CALLTREE_ROOT, &all);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct amounts one;

		select_thread(s, i, HEAP_BLOCKS, &one);
		amounts_add(&threads, &one, 1);
		select_thread(s, i, HEAP_PAGES, &one);
		amounts_add(&threads, &one, 1);
	}
	return (all.count != sums.count) + (all.bytes != sums.bytes) + (all.leaked_bytes != sums.leaked_bytes) +
	       !same(&all, &threads);
}

/* Unfiltered, a group's part of the peak is what the books of its site say. */
static unsigned peaks_differ(struct heap *heap, const struct selection *s)
{
	unsigned wrong = 0;

	for (size_t row = 0; row < select_group_count(s); row++) {
		struct select_group g;
		struct heap_site site;

		select_group_at(s, row, &g);
		site_get(heap, g.site, &site);
		wrong += g.temporary != site.temporary;
		wrong += g.peak_bytes != site.peak_bytes;
		/* A range in pieces counts for as many. */
		wrong += site.class == HEAP_BLOCKS && g.peak != site.peak;
	}
	return wrong;
}

static void run(const char *what, enum calltree_kind kind, struct select_filter f)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	struct selection *s = select_new(heap);
	struct calltree *t = calltree_new(s, kind);
	unsigned sums = 0, stacks = 0, roots = 0, peaks = 0;
	bool plain = f.thread == HEAP_NONE && !f.state && !f.range && !f.search;
	struct build b;

	memset(live, 0, sizeof(live));
	trace_open(&b);
	select_filter(s, &f);
	select_groups(s, true);
	calltree_unfold_all(t, CALLTREE_ROOT);
	for (unsigned round = 0; round < ROUNDS; round++) {
		grow(&b, heap, round, round < ROUNDS - 1);
		select_step(s, build_random(400));
		calltree_step(t, build_random(60));
		sums += sums_differ(t);
		if (round % 8 != 7)
			continue;
		calltree_unfold_all(t, CALLTREE_ROOT);
		settle(s, t);
		sums += sums_differ(t);
		roots += root_differs(t, s);
		if (kind != CALLTREE_MODULES)
			stacks += stacks_differ(t, heap, s, kind == CALLTREE_DOWN);
		peaks += plain ? peaks_differ(heap, s) : 0;
	}
	is_int(sums, 0, "%s: children are never more than their parent", what);
	is_int(roots, 0, "%s: the root is the selection, and so are the threads", what);
	is_int(stacks, 0, "%s: nodes are the stacks that pass them (%zu nodes)", what, calltree_count(t));
	is_int(peaks, 0, "%s: parts of the peak, and temporaries, are those of the books", what);
	calltree_free(t);
	select_free(s);
	heap_free(heap);
	trace_close(&b);
}

static bool is_called(struct calltree *t, uint32_t node, const char *want)
{
	struct buffer name = BUFFER_INIT;
	bool is;

	calltree_name(t, node, true, &name);
	is = strcmp(buffer_text(&name), want) == 0;
	if (!is)
		printf("# called %s\n", buffer_text(&name));
	buffer_release(&name);
	return is;
}

/* main -> work -> alloc, main -> rest; work twice in a row. */
static struct heap *small(void)
{
	static const char *const names[] = { "main", "work", "alloc", "rest" };
	struct build b;

	build_init(&b);
	build_module(&b, 1, 0x400000, "/bin/app");
	build_node(&b, 8, 1, 0x401010);
	build_node(&b, 9, 8, 0x401020);
	build_node(&b, 10, 9, 0x401020);
	build_node(&b, 11, 10, 0x401030);
	build_node(&b, 12, 8, 0x401040);
	build_thread(&b, 1, "app");
	build_stack_event(&b, 1, OP_MALLOC, 0x1000, 1000, 11);
	build_stack_event(&b, 1, OP_MALLOC, 0x2000, 300, 10);
	build_stack_event(&b, 1, OP_MALLOC, 0x3000, 50, 12);
	build_event(&b, 1, OP_FREE, 0x3000, 0);
	build_stack_event(&b, 1, OP_MALLOC, 0x4000, 7, 12);
	for (uint32_t i = 0; i < 4; i++)
		build_symbol(&b, 1, 0x1010 + 16 * i, 10 + 2 * i, names[i], "a.c", 10 + i);
	build_end(&b, TRACE_END_EXIT, 0);
	return build_heap(&b);
}

static uint32_t node_at(const struct calltree *t, size_t row)
{
	struct calltree_row r;

	calltree_row_at(t, row, &r);
	return r.node;
}

static void test_rows(void)
{
	struct heap *heap = small();
	struct selection *s = select_new(heap);
	struct calltree *t = calltree_new(s, CALLTREE_DOWN);
	struct calltree_site sites[2];
	struct buffer out = BUFFER_INIT;
	uint32_t main_node, work;
	struct amounts a;

	select_groups(s, true);
	settle(s, t);
	is_int(calltree_row_count(t), 5, "what has one way only is unfolded from the start");
	main_node = node_at(t, 0);
	work = node_at(t, 1);
	ok(is_called(t, main_node, "main (a.c:10)") && is_called(t, work, "work (a.c:11)"), "by name and line");
	ok(is_called(t, node_at(t, 2), "work (a.c:11)"), "recursion stays as it was");
	calltree_amounts(t, main_node, &a);
	is_int(a.bytes, 1357, "main has all");
	is_int(a.peak_bytes, 1350, "at the peak, what was there");
	is_int(a.temporary, 1, "and its temporary block");
	calltree_self(t, node_at(t, 2), &a);
	is_int(a.bytes, 300, "the inner work has some by itself");
	calltree_fold(t, work);
	is_int(calltree_row_count(t), 3, "folded");
	calltree_cost(t, COST_COUNT, false);
	ok(is_called(t, node_at(t, 1), "work (a.c:11)"), "equal ones keep their order");
	calltree_cost(t, COST_TEMPORARY, false);
	is_int(calltree_row_count(t), 2, "what has none of a cost is not there");
	calltree_cost(t, COST_ALLOCATED, true);
	ok(is_called(t, node_at(t, 1), "rest (a.c:13)"), "the other way round");
	calltree_zoom(t, work);
	ok(node_at(t, 0) == work && calltree_row_count(t) == 3, "zoomed in");
	calltree_cost(t, COST_TEMPORARY, false);
	ok(node_at(t, 0) == work && calltree_row_count(t) == 1, "without any of the cost it is all that is left");
	calltree_cost(t, COST_ALLOCATED, true);
	calltree_zoom(t, CALLTREE_ROOT);
	is_int(calltree_top_sites(t, work, sites, 2), 2, "two call sites below");
	is_int(sites[0].amounts.bytes, 1000, "the larger one first");
	is_int(calltree_top_sites(t, node_at(t, 1), sites, 2), 1, "one at the other");
	calltree_export_stacks(t, 0, calltree_count(t), &out);
	ok(strstr(buffer_text(&out), "main (app);work (app);work (app);alloc (app) 1000\n") &&
	   strstr(buffer_text(&out), "main (app);work (app);work (app) 300\n"), "stacks for flame graphs");
	buffer_release(&out);
	calltree_free(t);
	select_free(s);
	heap_free(heap);
}

static void test_modules(void)
{
	struct heap *heap = small();
	struct selection *s = select_new(heap);
	struct calltree *t = calltree_new(s, CALLTREE_MODULES);

	select_groups(s, true);
	settle(s, t);
	ok(is_called(t, node_at(t, 0), "app"), "a module");
	ok(calltree_has_children(t, node_at(t, 0)), "with functions");
	calltree_unfold(t, node_at(t, 0));
	settle(s, t);
	ok(is_called(t, node_at(t, 1), "alloc (a.c:12)"), "the call sites'");
	calltree_free(t);
	select_free(s);
	heap_free(heap);
}

/* Nodes that somebody looks at, while names come. */
static void test_names_come(enum calltree_kind kind)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	struct selection *s = select_new(heap);
	struct calltree *t = calltree_new(s, kind);
	struct calltree_row row;
	struct stack_frame before, after;
	unsigned depth;
	bool mixed;
	struct build b;

	memset(live, 0, sizeof(live));
	trace_open(&b);
	select_groups(s, true);
	calltree_unfold_all(t, CALLTREE_ROOT);
	for (unsigned round = 0; round < 25; round++)
		grow(&b, heap, round, true);
	for (int i = 0; i < 20; i++)
		settle(s, t);
	/* One below others. */
	for (size_t i = 0; i < calltree_row_count(t); i++) {
		calltree_row_at(t, i, &row);
		if (calltree_depth(t, row.node) == 3 && calltree_frame(t, row.node, &before, &mixed))
			break;
	}
	calltree_pin(t, CALLTREE_CURSOR, row.node);
	depth = calltree_depth(t, row.node);
	ok(!before.function, "no name so far");
	grow(&b, heap, 25, true);
	settle(s, t);
	ok(calltree_pinned(t, CALLTREE_CURSOR) != HEAP_NONE &&
	   calltree_frame(t, calltree_pinned(t, CALLTREE_CURSOR), &after, &mixed) && after.function,
	   "the pinned node has a name now");
	is_int(calltree_depth(t, calltree_pinned(t, CALLTREE_CURSOR)), depth, "and is where it was");
	ok(calltree_row_find(t, calltree_pinned(t, CALLTREE_CURSOR)) != SIZE_MAX, "unfolded as it was");
	calltree_free(t);
	select_free(s);
	heap_free(heap);
	trace_close(&b);
}

#define FILTER(...)	(struct select_filter){ .site = HEAP_NONE, __VA_ARGS__ }
#define ANY		.thread = HEAP_NONE

int main(void)
{
	run("down", CALLTREE_DOWN, FILTER(ANY));
	run("up", CALLTREE_UP, FILTER(ANY));
	run("modules", CALLTREE_MODULES, FILTER(ANY));
	run("leaks", CALLTREE_DOWN, FILTER(ANY, .state = SELECT_LEAKS));
	run("one thread", CALLTREE_DOWN, FILTER(.thread = 1));
	run("range", CALLTREE_UP, FILTER(ANY, .range = true, .range_from_ns = 5000000, .range_to_ns = 20000000));
	run("search", CALLTREE_DOWN, FILTER(ANY, .search = "needle"));
	test_rows();
	test_modules();
	test_names_come(CALLTREE_DOWN);
	test_names_come(CALLTREE_UP);
	return done_testing();
}
