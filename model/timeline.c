/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory over time: buckets into the cells of a screen. */
#include "model/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"

/* Invariant: records below `next` are in the buckets, with their end if it is among the first
 * `changes` of the log; a step reads the log to its end before it goes on with records. */
struct timeline {
	struct heap *heap;
	uint32_t thread, site;
	struct buckets buckets;
	uint32_t next;
	uint64_t changes;
};

/* Quanta from time 0 to now; at least 1. */
static uint64_t span_of(const struct heap *heap)
{
	return heap->now > heap->clock.base ? heap->now - heap->clock.base : 1;
}

static size_t cell_of(const struct heap *heap, uint64_t stamp, size_t count)
{
	uint64_t span = span_of(heap);
	uint64_t at = stamp > heap->clock.base ? stamp - heap->clock.base : 0;

	if (at >= span)
		return count - 1;
	return (size_t)((unsigned __int128)at * count / span);
}

static void cells_bounds(const struct heap *heap, struct timeline_cell *cells, size_t count)
{
	uint64_t end = heap_ns(heap, heap->clock.base + span_of(heap));

	memset(cells, 0, count * sizeof(*cells));
	for (size_t i = 0; i < count; i++) {
		cells[i].start_ns = (uint64_t)((unsigned __int128)end * i / count);
		cells[i].end_ns = (uint64_t)((unsigned __int128)end * (i + 1) / count);
	}
}

static void cells_fill(const struct heap *heap, const struct buckets *buckets,
	struct timeline_cell *cells, size_t count)
{
	uint64_t live = 0;
	size_t next = 0;

	for (size_t b = 0; b < buckets->used; b++) {
		const struct bucket *bucket = &buckets->items[b];
		size_t at = cell_of(heap, buckets->base + ((uint64_t)b << buckets->shift), count);

		for (; next < at; next++) {
			cells[next].live_bytes = live;
			cells[next + 1].high_bytes = live;
		}
		cells[at].alloc_bytes += bucket->allocated;
		cells[at].freed_bytes += bucket->freed;
		live += bucket->allocated;
		live -= bucket->freed < live ? bucket->freed : live;
		if (bucket->high > cells[at].high_bytes)
			cells[at].high_bytes = bucket->high;
		if (live > cells[at].high_bytes)
			cells[at].high_bytes = live;
	}
	for (; next < count; next++) {
		cells[next].live_bytes = live;
		if (cells[next].high_bytes < live)
			cells[next].high_bytes = live;
	}
	for (size_t i = 0; i < count; i++) {
		cells[i].live_bytes = heap_bytes(heap, cells[i].live_bytes);
		cells[i].high_bytes = heap_bytes(heap, cells[i].high_bytes);
		cells[i].alloc_bytes = heap_bytes(heap, cells[i].alloc_bytes);
		cells[i].freed_bytes = heap_bytes(heap, cells[i].freed_bytes);
	}
}

static void cells_rss(const struct heap *heap, struct timeline_cell *cells, size_t count)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < heap->rss.count; i++) {
		const struct trace_rss *rss = &heap->rss.items[i].rss;
		struct timeline_cell *cell = &cells[cell_of(heap, rss->stamp, count)];

		if (rss->rss * 1024 > cell->rss_bytes)
			cell->rss_bytes = rss->rss * 1024;
	}
	for (size_t i = 0; i < count; i++) {
		if (!cells[i].rss_bytes)
			cells[i].rss_bytes = newest;
		newest = cells[i].rss_bytes;
	}
}

void timeline_heap(const struct heap *heap, struct timeline_cell *cells, size_t count)
{
	if (!count)
		return;
	cells_bounds(heap, cells, count);
	cells_fill(heap, &heap->buckets, cells, count);
	cells_rss(heap, cells, count);
}

struct timeline *timeline_new(struct heap *heap, uint32_t thread, uint32_t site)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->heap = heap;
	t->thread = thread;
	t->site = site;
	buckets_init(&t->buckets);
	t->buckets.base = heap->buckets.base;
	return t;
}

void timeline_free(struct timeline *t)
{
	if (t)
		buckets_release(&t->buckets);
	free(t);
}

static bool concerns(const struct timeline *t, const struct record *r)
{
	return (t->thread == HEAP_NONE || t->thread == r->thread) &&
	       (t->site == HEAP_NONE || t->site == record_site(t->heap, r));
}

/* A split record has not ended: its pieces end one by one, and none of them was allocated. */
static void add_end(struct timeline *t, const struct record *r)
{
	if (record_state(r) == RECORD_FREED || record_state(r) == RECORD_GONE)
		buckets_at(&t->buckets, r->free_stamp)->freed += record_units(t->heap, r);
}

bool timeline_step(struct timeline *t, size_t max)
{
	const struct records *records = &t->heap->records;

	for (; t->changes < records->changes; t->changes++) {
		uint32_t id = record_change(t->heap, t->changes);

		if (!max--)
			return false;
		if (id < t->next && concerns(t, record_at(t->heap, id)))
			add_end(t, record_at(t->heap, id));
	}
	for (; t->next < records->count; t->next++) {
		const struct record *r = record_at(t->heap, t->next);

		if (!max--)
			return false;
		if (!concerns(t, r))
			continue;
		if (!(record_flags(r) & RECORD_PIECE))
			buckets_at(&t->buckets, r->alloc_stamp)->allocated += record_units(t->heap, r);
		add_end(t, r);
	}
	return true;
}

void timeline_cells(const struct timeline *t, struct timeline_cell *cells, size_t count)
{
	if (!count)
		return;
	cells_bounds(t->heap, cells, count);
	cells_fill(t->heap, &t->buckets, cells, count);
}

static void rss_out(const struct heap *heap, const struct rss_sample *sample, struct timeline_rss *out)
{
	const struct trace_rss *rss = &sample->rss;

	*out = (struct timeline_rss){
		.ns = heap_ns(heap, rss->stamp),
		.rss = rss->rss * 1024, .anon = rss->anon * 1024, .file = rss->file * 1024,
		.shmem = rss->shmem * 1024, .swap = rss->swap * 1024, .stacks = rss->stacks * 1024,
		.live_blocks = sample->blocks, .live_pages = sample->pages,
		.inner_pages = sample->inner,
	};
}

size_t timeline_rss_count(const struct heap *heap)
{
	return heap->rss.count;
}

void timeline_rss_at(const struct heap *heap, size_t index, struct timeline_rss *out)
{
	rss_out(heap, &heap->rss.items[index], out);
}

bool timeline_rss_peak(const struct heap *heap, struct timeline_rss *out)
{
	if (!heap->rss.count)
		return false;
	rss_out(heap, &heap->rss_peak, out);
	return true;
}
