/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selections that follow a growing heap in small steps, against a filter applied from scratch. */
#include "tests/tap.h"
#include "tests/unit/model_grow.h"

#include "base/vector.h"
#include "model/blocks.h"
#include "model/export.h"
#include "model/scan.h"
#include "model/select.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"
#include "model/timeline.h"

#define THREADS		4u
#define ADDRESSES	400u
#define STACKS		12u
#define ROUNDS		60u

static bool live[ADDRESSES];

/* A heap that lives: allocations, frees, mappings with holes, thread exits. */
static void grow(struct build *b, struct heap *heap, unsigned round)
{
	b->out.length = 0;
	if (round == 0) {
		struct trace_clock clock = { 0, (uint64_t)BUILD_NS_PER_QUANTUM << 32 };

		trace_put_clock(&b->out, &clock);
		build_module(b, 1, 0x400000, "/bin/app");
		for (uint32_t i = 0; i < STACKS; i++)
			build_node(b, 8 + i, 1, 0x401000 + 16 * i);
		for (uint32_t t = 1; t <= THREADS; t++)
			build_thread(b, t, t == 2 ? "Needle" : "hay");
	}
	for (unsigned i = 0; i < 150; i++) {
		uint32_t thread = 1 + (uint32_t)build_random(THREADS), index = (uint32_t)build_random(ADDRESSES);
		uint64_t ptr = 0x100000 + 0x1000 * (uint64_t)index;

		b->stamp += build_random(500);
		if (build_random(40) == 0)
			build_event(b, thread, build_random(2) ? OP_MMAP : OP_MUNMAP,
				    0x7f0000000000 + 4096 * build_random(32), 4096 * (1 + build_random(8)));
		else if ((live[index] = !live[index]))
			build_stack_event(b, thread, build_random(3) ? OP_MALLOC : OP_CALLOC, ptr,
					  build_random(10) ? build_random(3000) : build_random(1u << 22), 8 + (uint32_t)build_random(STACKS));
		else
			build_event(b, thread, OP_FREE, ptr, 0);
	}
	if (round == 20 || round == 41)
		build_event(b, round == 20 ? 3 : 4, OP_EXIT, 0, 1);
	if (round == 30)
		build_symbol(b, 1, 0x1000 + 16 * 5, 1, "find_the_needle", "x.c", 3);
	build_sync(b);
	if (round == ROUNDS - 1)
		build_end(b, TRACE_END_EXIT, 0);
	feed_grown(b, heap);
}

static bool frames_hold(const struct heap *heap, uint32_t stack, const char *text)
{
	struct stack_frame frames[8];
	size_t count = stack_frames(heap, stack, frames, 8);

	for (size_t i = 0; i < count; i++)
		if (stack_frame_matches(&frames[i], text))
			return true;
	return false;
}

static bool search_passes(const struct heap *heap, const struct block_record *r, const char *text)
{
	struct heap_thread thread;
	char name[64], pointer[32];

	thread_get(heap, r->thread, &thread);
	snprintf(name, sizeof(name), "%s", thread.name);
	for (char *p = name; *p; p++)
		*p |= 0x20;
	snprintf(pointer, sizeof(pointer), "0x%llx", (unsigned long long)r->ptr);
	return strstr(name, text) || strstr(heap_op_label(r->op), text) || strstr(pointer, text) ||
	       frames_hold(heap, r->stack, text) || frames_hold(heap, r->free_stack, text);
}

static bool passes(const struct heap *heap, const struct select_filter *f, const struct block_record *r)
{
	bool freed = r->state == BLOCK_FREED || r->state == BLOCK_GONE;

	if (r->state == BLOCK_SPLIT)
		return false;
	if ((f->state == SELECT_LEAKS && r->state != BLOCK_LEAKED) ||
	    (f->state == SELECT_ACTIVE && r->state != BLOCK_ACTIVE) || (f->state == SELECT_FREED && !freed))
		return false;
	if ((f->thread != HEAP_NONE && f->thread != r->thread) || (f->site != HEAP_NONE && f->site != r->site))
		return false;
	if (f->min_age_ns && r->age_ns < f->min_age_ns)
		return false;
	if (f->delta && r->alloc_ns <= f->delta_ns)
		return false;
	if (f->range && (r->alloc_ns < f->range_from_ns || r->alloc_ns > f->range_to_ns))
		return false;
	return !f->search || search_passes(heap, r, f->search);
}

/* What the selection should hold, counted the slow way. */
static unsigned differs(const struct heap *heap, const struct selection *s, const struct select_filter *f,
	enum select_column column)
{
	struct select_sums sums;
	uint64_t count = 0, bytes = 0, leaked = 0;
	unsigned wrong = 0;

	for (uint32_t id = 0; id < block_count(heap); id++) {
		struct block_record r;
		bool in;

		block_get(heap, id, &r);
		in = passes(heap, f, &r);
		count += in;
		bytes += in ? r.size : 0;
		leaked += in && r.state == BLOCK_LEAKED;
		wrong += in != (select_find(s, id) != SIZE_MAX);
	}
	select_sums(s, &sums);
	wrong += select_count(s) != count;
	wrong += sums.count != count || sums.bytes != bytes || sums.leaked != leaked;
	for (size_t row = 1; row < select_count(s); row++) {
		struct block_record a, z;

		block_get(heap, select_at(s, row - 1), &a);
		block_get(heap, select_at(s, row), &z);
		if (column == SELECT_BY_SIZE)
			wrong += a.size < z.size;
		else if (column == SELECT_BY_TIME)
			wrong += a.id >= z.id;
		wrong += select_find(s, z.id) != row;
	}
	return wrong;
}

/* Groups are the records by site. */
static unsigned groups_differ(const struct heap *heap, const struct selection *s)
{
	uint64_t count = 0, bytes = 0, last = UINT64_MAX;
	unsigned wrong = 0;

	for (size_t row = 0; row < select_group_count(s); row++) {
		struct select_group g;
		struct block_record example;

		select_group_at(s, row, &g);
		block_get(heap, g.example, &example);
		wrong += example.site != g.site || select_find(s, g.example) == SIZE_MAX;
		wrong += g.bytes > last || select_group_find(s, g.site) != row;
		last = g.bytes;
		count += g.count;
		bytes += g.bytes;
	}
	{
		struct select_sums sums;

		select_sums(s, &sums);
		wrong += sums.count != count || sums.bytes != bytes;
	}
	return wrong;
}

static void settle(struct selection *s)
{
	for (int i = 0; i < 100000 && !select_step(s, 1 + build_random(700)); i++)
		;
}

static void run(const char *what, struct select_filter f, enum select_column column)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	struct selection *s = select_new(heap);
	struct build b;
	unsigned wrong = 0, groups_wrong = 0;

	memset(live, 0, sizeof(live));
	trace_open(&b);
	select_filter(s, &f);
	select_sort(s, column, false);
	select_groups(s, true);
	for (unsigned round = 0; round < ROUNDS; round++) {
		grow(&b, heap, round);
		if (round % 3 == 0)
			select_step(s, build_random(100));
		if (round % 5 == 4 || round == ROUNDS - 1) {
			settle(s);
			wrong += differs(heap, s, &f, column);
			groups_wrong += groups_differ(heap, s);
		}
	}
	is_int(wrong, 0, "%s: as from scratch, all along (%zu rows at the end)", what, select_count(s));
	is_int(groups_wrong, 0, "%s: groups too", what);
	select_free(s);
	heap_free(heap);
	trace_close(&b);
}

static void test_timeline(void)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	struct timeline *all = timeline_new(heap, HEAP_NONE, HEAP_NONE);
	struct timeline *one = timeline_new(heap, 1, HEAP_NONE);
	struct timeline_cell a[40], z[40];
	struct heap_thread thread;
	unsigned wrong = 0;
	struct build b;

	memset(live, 0, sizeof(live));
	trace_open(&b);
	for (unsigned round = 0; round < ROUNDS; round++) {
		grow(&b, heap, round);
		timeline_step(all, build_random(100));
		timeline_step(one, build_random(300));
	}
	while (!timeline_step(all, 50))
		;
	while (!timeline_step(one, 50))
		;
	timeline_heap(heap, a, 40);
	timeline_cells(all, z, 40);
	for (int i = 0; i < 40; i++)
		wrong += a[i].live_bytes != z[i].live_bytes || a[i].alloc_bytes != z[i].alloc_bytes ||
			 a[i].freed_bytes != z[i].freed_bytes;
	is_int(wrong, 0, "the timeline made of records is that of the heap");
	timeline_cells(one, z, 40);
	thread_get(heap, 1, &thread);
	is_int(z[39].live_bytes, thread.live_bytes + thread.live_map_bytes,
	       "that of a thread ends with its live bytes");
	timeline_free(all);
	timeline_free(one);
	heap_free(heap);
	trace_close(&b);
}

static void test_export(void)
{
	struct heap_options options = { .keep_records = true };
	struct select_filter filter = SELECT_FILTER_INIT;
	struct heap *heap = heap_new(&options);
	struct selection *s = select_new(heap);
	struct buffer out = BUFFER_INIT;
	struct build b;
	size_t lines = 0;

	memset(live, 0, sizeof(live));
	trace_open(&b);
	for (unsigned round = 0; round < 3; round++)
		grow(&b, heap, round);
	filter.search = "NEEDLE\033[31m";
	select_filter(s, &filter);
	settle(s);
	export_head(s, false, &out);
	ok(!strchr(buffer_text(&out), '\033'), "no escape byte gets into an export");
	filter.search = NULL;
	select_filter(s, &filter);
	select_groups(s, true);
	settle(s);
	buffer_clear(&out);
	export_records(s, 0, 10, false, &out);
	for (const char *p = buffer_text(&out); (p = strchr(p, '\n')); p++)
		lines++;
	is_int(lines, 10, "ten rows of an export");
	buffer_clear(&out);
	export_groups(s, 0, 1000, true, &out);
	ok(strstr(buffer_text(&out), "app+0x1"), "groups with their stacks");
	buffer_release(&out);
	select_free(s);
	heap_free(heap);
	trace_close(&b);
}

#define FILTER(...)	(struct select_filter){ .site = HEAP_NONE, __VA_ARGS__ }
#define ANY		.thread = HEAP_NONE

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* How long the freed blocks of a site had lived, from the records one by one. */
static bool lives_as_told(struct heap *heap, uint32_t site)
{
	struct scan *scan = scan_of_free_sites(heap, site);
	VECTOR(uint64_t) times = { 0 };
	struct scan_lifetimes told;
	struct block_record r;
	uint64_t median;
	bool good;

	while (!scan_step(scan, 7))
		;
	scan_lifetimes(scan, &told);
	scan_free(scan);
	for (uint32_t id = 0; id < block_count(heap); id++) {
		block_get(heap, id, &r);
		if (r.site == site && r.state == BLOCK_FREED)
			vector_push(&times, r.free_ns - r.alloc_ns);
	}
	good = told.count == times.count;
	if (good && told.count) {
		qsort(times.items, times.count, sizeof(*times.items), compare_times);
		median = times.items[(times.count - 1) / 2];
		good = told.shortest_ns == times.items[0] && told.longest_ns == times.items[times.count - 1] &&
		       told.median_ns >= median - median / 8 && told.median_ns <= median + median / 8 + 1;
	}
	vector_release(&times);
	return good;
}

static void test_lifetimes(void)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	size_t wrong = 0;
	struct build b;

	memset(live, 0, sizeof(live));
	trace_open(&b);
	for (unsigned round = 0; round < ROUNDS; round++)
		grow(&b, heap, round);
	ok(site_count(heap) > 10, "there are call sites");
	for (uint32_t site = 0; site < site_count(heap); site++)
		wrong += !lives_as_told(heap, site);
	is_int(wrong, 0, "lifetimes of every call site are those of its records");
	heap_free(heap);
	trace_close(&b);
}

int main(void)
{
	run("all", FILTER(ANY), SELECT_BY_TIME);
	run("all by size", FILTER(ANY), SELECT_BY_SIZE);
	run("active by size", FILTER(ANY, .state = SELECT_ACTIVE), SELECT_BY_SIZE);
	run("active by thread", FILTER(ANY, .state = SELECT_ACTIVE), SELECT_BY_THREAD);
	run("leaks", FILTER(ANY, .state = SELECT_LEAKS), SELECT_BY_TIME);
	run("freed", FILTER(ANY, .state = SELECT_FREED), SELECT_BY_TIME);
	run("one thread", FILTER(.thread = 2), SELECT_BY_SIZE);
	run("old ones", FILTER(ANY, .min_age_ns = 2000000), SELECT_BY_TIME);
	run("old active ones", FILTER(ANY, .state = SELECT_ACTIVE, .min_age_ns = 500000), SELECT_BY_SIZE);
	run("delta", FILTER(ANY, .delta = true, .delta_ns = 9000000), SELECT_BY_TIME);
	run("range", FILTER(ANY, .range = true, .range_from_ns = 5000000, .range_to_ns = 20000000), SELECT_BY_TIME);
	run("search", FILTER(ANY, .search = "needle"), SELECT_BY_TIME);
	run("search for a pointer", FILTER(ANY, .search = "0x11"), SELECT_BY_TIME);
	run("search among leaks", FILTER(ANY, .search = "alloc", .state = SELECT_LEAKS), SELECT_BY_SIZE);
	test_timeline();
	test_export();
	test_lifetimes();
	return done_testing();
}
