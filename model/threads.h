/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a heap, by dense index in order of appearance.
 *
 * What a thread allocated stays its own whoever frees it: freed and net are those of the blocks
 * it allocated, so net is never negative.  Pages are apart, so that the amounts of all threads
 * sum up to heap_totals(HEAP_BLOCKS). */
#ifndef MODEL_THREADS_H
#define MODEL_THREADS_H

#include "model/heap.h"

struct heap_thread {
	uint32_t index;
	uint32_t tid;
	const char *name;		/* its newest; "" when unknown */
	bool exited;
	uint64_t exit_ns;
	uint64_t first_ns, last_ns;	/* of its events */
	uint64_t allocs, alloc_bytes;	/* blocks, as everything down to temporary */
	uint64_t frees, freed_bytes;	/* of its blocks, by whomever */
	uint64_t freed_by_others;	/* of those, how many another thread freed */
	uint64_t freed_for_others;	/* blocks of other threads that it freed */
	uint64_t gone, gone_bytes;	/* lived when the process executed another program */
	uint64_t live, live_bytes;	/* allocated - freed - gone */
	uint64_t leaked, leaked_bytes;	/* its live blocks, once it or the program has ended, without
					 * those of the runtime */
	uint64_t temporary;
	uint64_t maps, map_bytes;	/* HEAP_PAGES that it mapped */
	uint64_t live_maps, live_map_bytes;
	uint64_t leaked_maps, leaked_map_bytes;
	uint64_t lost;			/* events that were not recorded */
	uint64_t reported_bytes;	/* by its EXIT: counts also what was filtered; 0 unknown */
	struct heap_margin margin;
};

size_t thread_count(const struct heap *heap);
void thread_get(const struct heap *heap, uint32_t index, struct heap_thread *out);

enum thread_column {
	THREAD_BY_NAME, THREAD_BY_TID, THREAD_BY_ALLOCATED, THREAD_BY_FREED, THREAD_BY_NET,
	THREAD_BY_LEAKS, THREAD_COLUMNS,
};

/* Fill order[thread_count()] with indexes sorted by a column: names and tids upwards, amounts
 * downwards (freed with what is gone); reverse turns it round. */
void thread_sort(const struct heap *heap, enum thread_column column, bool reverse, uint32_t *order);

#endif
