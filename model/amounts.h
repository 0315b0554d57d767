/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a set of allocations amounts to, and by which of it sets are compared. */
#ifndef MODEL_AMOUNTS_H
#define MODEL_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct heap;

/* Blocks, and bytes as requested.  Inside of model/ in units of the books (model/weight.h), handed
 * out as whole ones. */
struct amounts {
	uint64_t count, bytes;		/* all of them */
	uint64_t live, live_bytes;	/* not freed so far, or ever */
	uint64_t leaked, leaked_bytes;
	uint64_t peak, peak_bytes;	/* alive when the heap was at its peak (pages: at theirs) */
	uint64_t temporary;		/* freed by their thread before it allocated again */
};

enum cost { COST_ALLOCATED, COST_COUNT, COST_TEMPORARY, COST_PEAK, COST_LEAKED, COST_LIVE, COSTS };

/* "allocated", "count", "temporary", "peak", "leaked", "live". */
const char *cost_name(enum cost cost);

/* Bytes, or a number of blocks? */
bool cost_is_bytes(enum cost cost);

uint64_t cost_of(const struct amounts *amounts, enum cost cost);

/* sign: 1, or UINT64_MAX to take away. */
void amounts_add(struct amounts *amounts, const struct amounts *more, uint64_t sign);

/* From units of the books to whole blocks and bytes. */
void amounts_whole(const struct heap *heap, const struct amounts *units, struct amounts *out);

#endif
