/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call sites: the allocations that share one stack; without stacks, one op and size bucket.
 * Kept in every mode, whole trace; for the part of a selection see model/select.h groups. */
#ifndef MODEL_SITES_H
#define MODEL_SITES_H

#include "model/heap.h"

struct heap_site {
	uint32_t index;
	uint32_t stack;			/* HEAP_NONE: none was captured, see op and bucket */
	enum heap_class class;
	uint8_t op;			/* of its first allocation */
	uint8_t bucket;			/* size bucket, without stack */
	bool runtime;			/* the C or C++ runtime's own; by name, so known with symbols */
	bool never_fell;		/* nothing of it was ever freed */
	uint32_t thread;		/* of its first allocation */
	bool many_threads;		/* others allocate here too */
	uint64_t allocs, alloc_bytes;
	uint64_t live, live_bytes;
	uint64_t leaked, leaked_bytes;
	uint64_t peak, peak_bytes;	/* its part of the moment when its class was at its peak */
	uint64_t temporary;
	uint64_t first_ns, last_ns;	/* of its allocations */
	struct heap_margin margin;
};

size_t site_count(const struct heap *heap);
void site_get(struct heap *heap, uint32_t index, struct heap_site *out);

enum site_cost {
	SITE_BY_LEAKED, SITE_BY_PEAK, SITE_BY_ALLOCATED, SITE_BY_COUNT, SITE_BY_TEMPORARY,
	SITE_BY_LIVE,			/* without what is leaked */
	SITE_COSTS,
};

/* Up to max sites with the highest cost (none of cost 0) into out; returns how many. */
size_t site_top(struct heap *heap, enum site_cost cost, enum heap_class which, bool with_runtime,
	uint32_t *out, size_t max);

uint64_t site_cost(const struct heap_site *site, enum site_cost cost);

/* Size buckets: 16 64 256 1K 4K 16K 64K 256K 1M and above. */
#define SIZE_BUCKETS	10u
unsigned size_bucket(uint64_t size);
const char *size_bucket_label(unsigned bucket);	/* "<=16 B" ... ">1 MiB" */

#endif
