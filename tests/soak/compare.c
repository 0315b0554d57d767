/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare [-p] [-d] [-k SLACK] TRACE SHADOW: what a trace holds against what the soaking process
 * counted; says each difference, exits 1 if there is one.
 *
 * -d: events were lost and counted (--drop, a stopped launcher).  -p: the launcher was killed, so
 * the trace is a beginning.  -k: the process was killed in up to SLACK calls.  A sampled trace is
 * compared by its exact counters. */
#include "tests/tools/dump.h"
#include "tests/soak/shadow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "trace/ops.h"

struct counted {
	uint64_t count[256], bytes[256];
};

struct block {
	uint64_t live;		/* 0 or 1, 2 for a moment */
	uint64_t size;		/* of the last allocation */
	uint64_t early, early_stamp;	/* a release that came without a block */
};

static struct {
	bool lossy, prefix;
	uint64_t slack;
} mode;
static unsigned wrong;

static void differ(const char *what, const char *of, uint64_t got, uint64_t low, uint64_t high)
{
	wrong++;
	if (low == high)
		printf("%s of %s: %" PRIu64 " in the trace, %" PRIu64 " made\n", what, of, got, low);
	else
		printf("%s of %s: %" PRIu64 " in the trace, %" PRIu64 " to %" PRIu64 " made\n", what, of, got,
			low, high);
}

static void within(const char *what, const char *of, uint64_t got, uint64_t low, uint64_t high)
{
	if (mode.lossy || mode.prefix)
		low = 0;
	if (got < low || got > high)
		differ(what, of, got, low, high);
}

static const char *name_of(unsigned op)
{
	return op == OP_REALLOC_FREE ? "realloc's free" : op == OP_MREMAP_UNMAP ? "mremap's munmap" :
		op_symbol(op) ? op_symbol(op) : op_label(op);
}

static bool sampled(const struct dump *dump)
{
	return dump->counters.count > 0;
}

/* A sample has the ends of mappings as events only, all of them. */
static void sum_up(const struct dump *dump, struct counted *sums)
{
	for (size_t i = 0; i < dump->counters.count; i++) {
		const struct trace_counter *cell = &dump->counters.items[i];
		unsigned op = cell->op ? cell->op : OP_REALLOC_FREE;

		sums->count[op] += cell->count;
		sums->bytes[op] += cell->bytes;
	}
	for (size_t i = 0; i < dump->events.count; i++) {
		const struct trace_event *event = &dump->events.items[i].event;

		if (sampled(dump) && op_kind(event->op) != OP_KIND_UNMAP)
			continue;
		sums->count[event->op] += !event->inner;
		sums->bytes[event->op] += event->inner ? 0 : event->size;
	}
}

/* What min_size leaves out may be missing; a release does not always tell its size. */
static void compare_op(const struct shadow_file *s, const struct counted *sums, unsigned op)
{
	bool begins = op_kind(op) == OP_KIND_ALLOC || op_kind(op) == OP_KIND_MAP;
	bool is_free = op_kind(op) == OP_KIND_FREE && op != OP_REALLOC_FREE;
	const struct shadow_cell *cell = begins ? &s->big[op] : &s->sure[op];
	uint64_t low = is_free ? s->big[op].count : cell->count - s->left[op].count;
	uint64_t high = cell->count + s->nested[op].count + (is_free ? s->left[op].count : 0) +
		s->untold[op].count;
	uint64_t slack = mode.slack * 2;

	if (op == OP_REALLOC_FREE)
		low = s->big[op].count - s->left[op].count;
	within("calls", name_of(op), sums->count[op], low > slack ? low - slack : 0, high + slack);
	if (begins && !mode.slack)
		within("bytes", name_of(op), sums->bytes[op], cell->bytes - s->left[op].bytes,
			cell->bytes + s->nested[op].bytes);
}

static uint64_t sum_of(const struct shadow_cell *cells, bool bytes)
{
	uint64_t sum = 0;

	for (unsigned op = 0; op < OP_END; op++)
		sum += bytes ? cells[op].bytes : cells[op].count;
	return sum;
}

static bool doubtful(const struct shadow_file *s)
{
	return sum_of(s->nested, false) || sum_of(s->left, false) || s->min_size || mode.lossy ||
		mode.prefix || mode.slack;
}

/* Events of one stamp may stand in either order: two blocks for a moment, or a release first. */
static void replay(struct block *b, const struct trace_event *event, bool begins, uint64_t *orphans)
{
	if (begins && b->early && b->early_stamp == event->stamp) {
		b->early--;
		(*orphans)--;
	} else if (begins) {
		b->live++;
		b->size = event->size;
	} else if (b->live) {
		b->live--;
	} else {
		b->early = 1;
		b->early_stamp = event->stamp;
		(*orphans)++;
	}
}

static void compare_blocks(const struct shadow_file *s, const struct block *blocks, size_t n)
{
	int64_t count = 0, bytes = 0;

	for (size_t i = 0; i < n; i++) {
		if (blocks[i].live > 1)
			differ("blocks", "one address", blocks[i].live, 0, 1);
		count += blocks[i].live;
		bytes += blocks[i].live ? (int64_t)blocks[i].size : 0;
	}
	if (count != s->live_blocks)
		differ("live blocks", "the heap", (uint64_t)count, (uint64_t)s->live_blocks,
			(uint64_t)s->live_blocks);
	if (bytes != s->live_bytes)
		differ("live bytes", "the heap", (uint64_t)bytes, (uint64_t)s->live_bytes,
			(uint64_t)s->live_bytes);
}

/* Blocks that live at the end; exec takes all that lived before. */
static void compare_live(const struct shadow_file *s, const struct dump *dump)
{
	VECTOR(struct block) blocks = { 0 };
	struct map places;
	uint64_t after = dump->execs.count ? dump->execs.items[dump->execs.count - 1] : 0, orphans = 0;

	map_init(&places);
	for (size_t i = 0; i < dump->events.count; i++) {
		const struct trace_event *event = &dump->events.items[i].event;
		enum op_kind kind = op_kind(event->op);
		bool created;
		uint64_t *at;

		if (event->inner || event->stamp < after ||
		    (kind != OP_KIND_ALLOC && kind != OP_KIND_FREE))
			continue;
		at = map_place(&places, event->ptr, &created);
		if (created) {
			*at = blocks.count;
			vector_push(&blocks, (struct block){ 0 });
		}
		replay(&blocks.items[*at], event, kind == OP_KIND_ALLOC, &orphans);
	}
	compare_blocks(s, blocks.items, blocks.count);
	if (orphans > s->silent + s->foreign)
		differ("releases of nothing", "the heap", orphans, 0, s->silent + s->foreign);
	map_release(&places);
	vector_release(&blocks);
}

struct thread_sum {
	uint64_t tid, count, bytes, exit_bytes;
};

static struct thread_sum *sum_for(struct map *places, struct thread_sum *sums, size_t *used, uint64_t tid)
{
	bool created;
	uint64_t *at = map_place(places, tid, &created);

	if (created) {
		*at = (*used)++;
		sums[*at] = (struct thread_sum){ .tid = tid };
	}
	return &sums[*at];
}

static void compare_threads(const struct shadow_file *s, const struct dump *dump)
{
	struct thread_sum *sums = xcalloc(dump->tids.count + 2 * SHADOW_THREADS, sizeof(*sums));
	struct map places;
	size_t used = 0;
	char name[32];

	map_init(&places);
	for (size_t i = 0; i < dump->events.count; i++) {
		const struct trace_event *event = &dump->events.items[i].event;
		enum op_kind kind = op_kind(event->op);
		struct thread_sum *sum = sum_for(&places, sums, &used, dump->events.items[i].tid);

		if (!event->inner && (kind == OP_KIND_ALLOC || kind == OP_KIND_MAP)) {
			sum->count++;
			sum->bytes += event->size;
		}
		if (kind == OP_KIND_EXIT)
			sum->exit_bytes += event->size;
	}
	for (uint64_t i = 0; i < s->thread_count; i++) {
		struct thread_sum *sum = sum_for(&places, sums, &used, s->threads[i].tid);

		sum->count -= s->threads[i].count;
		sum->bytes -= s->threads[i].bytes;
	}
	for (size_t i = 0; i < used; i++) {
		snprintf(name, sizeof(name), "thread %" PRIu64, sums[i].tid);
		if (sums[i].count || sums[i].bytes)
			differ("more calls and bytes", name, sums[i].count, sums[i].bytes, sums[i].bytes);
	}
	map_release(&places);
	free(sums);
}

/* What is not there is counted as lost; marks of names and ends of threads may be lost too. */
static void compare_lost(const struct shadow_file *s, const struct dump *dump, const struct counted *sums)
{
	uint64_t made = sum_of(s->sure, false), got = dump->lost;
	uint64_t marks = 2 * s->thread_count + s->names;

	for (unsigned op = 0; op < 256; op++)
		if (op != OP_NAME && op != OP_EXIT && op_kind(op) != OP_KIND_FINDING)
			got += sums->count[op];
	if (got < made || got > made + marks)
		differ("events, with the lost,", "the process", got, made, made + marks);
}

static void compare(const struct shadow_file *s, const struct dump *dump)
{
	struct counted sums = { 0 };

	sum_up(dump, &sums);
	for (unsigned op = 1; op < OP_END; op++)
		if (op_kind(op) != OP_KIND_EXIT && op_kind(op) != OP_KIND_NONE && op_kind(op) != OP_KIND_FINDING)
			compare_op(s, &sums, op);
	if (!doubtful(s) && !sampled(dump)) {
		compare_live(s, dump);
		compare_threads(s, dump);
	}
	if (mode.lossy)
		compare_lost(s, dump, &sums);
	else if (dump->lost)
		differ("lost", "events", dump->lost, 0, 0);
	if (!dump->ended && !mode.prefix)
		printf("the trace has no end\n"), wrong++;
	if (!s->finished && !mode.slack && !mode.prefix)
		printf("the process did not come to its end\n"), wrong++;
	if (s->failures)
		printf("the process complained\n"), wrong++;
	printf("%s: %zu events, %" PRIu64 " made, %" PRIu64 " lost, %" PRIu64 " nested, %" PRIu64
		" left, %" PRIu64 " signals, %" PRIu64 " jumps, %" PRIu64 " threads, %zu execs\n",
		wrong ? "different" : "equal", dump->events.count, sum_of(s->sure, false), dump->lost,
		sum_of(s->nested, false), sum_of(s->left, false), s->signals, s->jumps, s->thread_count,
		dump->execs.count);
}

static struct shadow_file *shadow_load(const char *path)
{
	struct shadow_file *s = xcalloc(1, sizeof(*s));
	FILE *in = fopen(path, "rb");

	if (!in || fread(s, sizeof(*s), 1, in) != 1 || s->magic != SHADOW_MAGIC) {
		fprintf(stderr, "compare: cannot read %s\n", path);
		exit(2);
	}
	fclose(in);
	return s;
}

int main(int argc, char **argv)
{
	struct dump dump = { .quiet = true, .silent = true };
	int c;

	while ((c = getopt(argc, argv, "pdk:")) != -1) {
		mode.prefix |= c == 'p';
		mode.lossy |= c == 'd';
		if (c == 'k')
			mode.slack = strtoull(optarg, NULL, 0);
	}
	if (argc - optind != 2 || dump_read(&dump, argv[optind]) < 0) {
		fprintf(stderr, "compare: cannot read %s\n", argc > optind ? argv[optind] : "TRACE");
		return 2;
	}
	compare(shadow_load(argv[optind + 1]), &dump);
	dump_release(&dump);
	return wrong != 0;
}
