/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call sites folded for a report: all stacks count as one whose wrappers of malloc were called
 * from the same place of the program. */
#ifndef MODEL_REPORT_SITES_H
#define MODEL_REPORT_SITES_H

#include "model/sites.h"
#include "model/weight.h"

struct buffer;

struct fold {
	uint64_t key;
	uint64_t cost;			/* sum of what was asked for */
	uint64_t count, bytes;		/* blocks and bytes that belong to it */
	struct noise noise;		/* of both, in a sampled trace */
	uint64_t allocs;		/* all allocations, for shares */
	uint32_t site;			/* the one with the highest cost: its stack is shown */
	uint64_t site_cost;
	uint32_t stacks;		/* how many were folded */
	uint32_t first, last;		/* of its sites */
	bool many_threads;
};

/* All call sites there are, by one cost.  What the wrappers are must have been learnt (model/wrappers.h)
 * and is not to change meanwhile for the sums to be right; sites that come later are not in it. */
struct folder;
struct folder *folder_new(struct heap *heap, enum site_cost cost, enum heap_class which);
void folder_free(struct folder *folder);

/* Fold at most max sites more; true when all are. */
bool folder_step(struct folder *folder, size_t max);

/* The folds with the highest cost, at most max; *found gets how many there are. */
size_t folder_top(struct folder *folder, struct fold *out, size_t max, size_t *found);

/* One fold's stacks folded by the functions that lead to its place. */
size_t folder_routes(const struct folder *folder, const struct fold *fold, struct fold *out, size_t max,
	size_t *found);

/* "caller < its caller < ..." of the place where the wrappers of a site were called. */
void report_route(struct heap *heap, uint32_t site, unsigned columns, struct buffer *out);

/* The stack of a site: its wrappers in one line, then from its first user frame on one frame a
 * line, indented. */
void report_stack(struct heap *heap, uint32_t site, unsigned frames, unsigned indent,
	unsigned width, struct buffer *out);

/* The same of any stack, such as that of a free. */
void report_frames(struct heap *heap, uint32_t stack, unsigned frames, unsigned indent, unsigned width,
	struct buffer *out);

/* Sanitise, cut to columns (ending in "..." then), and append. */
void report_clip(const char *text, size_t columns, struct buffer *out);

#endif
