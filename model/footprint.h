/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the allocator costs: bytes asked for, bytes it took from the system, bytes of it that are
 * resident, and how much of those holds no live block.
 *
 * From samples of resident pages, over which the live blocks of that moment are laid.  The
 * allocator's mappings are those that hold live blocks, once held some, belong to the program break,
 * or were made inside an allocator call; what the program mapped for itself is taken off. */
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "model/heap.h"

struct buffer;

struct footprint {
	uint64_t ns;
	uint64_t asked;		/* live bytes, as requested */
	uint64_t taken;		/* mappings of the allocator */
	uint64_t resident;	/* resident in these; with FOOTPRINT_RSS of the whole process */
	uint64_t used;		/* live bytes on resident pages */
	uint64_t empty;		/* bytes of resident pages without any live block */
	bool laid;		/* used and empty are known */
};

/* From what the numbers come. */
enum footprint_source {
	FOOTPRINT_NONE,		/* nothing but the totals of the allocator's own calls is known */
	FOOTPRINT_RSS,		/* no resident pages: RSS samples; taken is by the allocator's own calls */
	FOOTPRINT_PAGES,
};
enum footprint_source footprint_source(const struct heap *heap);

/* The samples in the order of time, thinned out evenly when they are many. */
size_t footprint_count(const struct heap *heap);
void footprint_at(const struct heap *heap, size_t index, struct footprint *out);

/* The one with the most resident bytes; false: there is none. */
bool footprint_peak(const struct heap *heap, struct footprint *out);

/* resident bytes without a live one, per mille of resident; not laid: 0. */
unsigned footprint_fragmentation(const struct footprint *footprint);

/* At most max indexes of samples, evenly over the time; returns how many. */
size_t footprint_rows(const struct heap *heap, size_t *rows, size_t max);

/* A sentence for people, to be freed, when the program's heap is not or not wholly visible since it
 * has an allocator of its own; else NULL. */
char *footprint_allocator(const struct heap *heap);

/* Is that so? */
bool footprint_hides(const struct heap *heap);

/* The section of the report, with an empty line before it; nothing when there is nothing to say. */
void footprint_report(const struct heap *heap, struct buffer *out);

/* The same as one JSON object. */
void footprint_json(const struct heap *heap, struct buffer *out);

#endif
