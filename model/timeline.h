/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory over time in equal cells: of the whole heap at any time and in every mode; of one
 * thread or one call site from the records, brought up to date at a cost proportional to what
 * is new. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/heap.h"

struct timeline_cell {
	uint64_t start_ns, end_ns;
	uint64_t live_bytes;		/* at its end, blocks and pages */
	uint64_t high_bytes;		/* highest in it (whole heap; else the end's) */
	uint64_t alloc_bytes, freed_bytes; /* in it: net allocating when alloc > freed */
	uint64_t rss_bytes;		/* highest sample in it, or that of the cell before; 0 unknown */
};

/* The whole trace, from 0 to the newest time, in count cells. */
void timeline_heap(const struct heap *heap, struct timeline_cell *cells, size_t count);

/* The part of one thread (or HEAP_NONE) and one site (or HEAP_NONE).  Needs records. */
struct timeline;
struct timeline *timeline_new(struct heap *heap, uint32_t thread, uint32_t site);
void timeline_free(struct timeline *timeline);

/* Work on at most max records; returns true when it is up to date. */
bool timeline_step(struct timeline *timeline, size_t max);
void timeline_cells(const struct timeline *timeline, struct timeline_cell *cells, size_t count);

/* Resident memory against what the trace explains, at each sample (thinned out evenly when they
 * are many; peaks are kept). */
struct timeline_rss {
	uint64_t ns;
	uint64_t rss, anon, file, shmem, swap, stacks;	/* bytes */
	uint64_t live_blocks, live_pages, inner_pages;	/* bytes, of the trace at that moment */
};
size_t timeline_rss_count(const struct heap *heap);
void timeline_rss_at(const struct heap *heap, size_t index, struct timeline_rss *out);
/* The sample with the highest rss, blocks and pages as they were; false: no samples. */
bool timeline_rss_peak(const struct heap *heap, struct timeline_rss *out);

#endif
