/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Overlapping address ranges made flat: for every address the one range that counts there.
 *
 *	given (later = on top)   A |-----------------|
 *	                         B      |-----|
 *	flat                       A    |  B  |  A   |  none
 */
#ifndef SYMBOLS_SPANS_H
#define SYMBOLS_SPANS_H

#include "base/vector.h"

#include <stdint.h>

#define SPAN_NONE	UINT32_MAX

struct span {
	uint64_t start, end;		/* [start, end) */
	uint32_t value;
	uint32_t rank;			/* of ranges with one start the highest rank is on top */
};

struct span_piece {
	uint64_t start;			/* up to the next piece's start */
	uint32_t value;			/* SPAN_NONE: a gap */
};

VECTOR_STRUCT(span_list, struct span);
VECTOR_STRUCT(span_index, struct span_piece);

/* Sorts spans; empty ones are ignored.  Where ranges overlap the one that starts last counts; of
 * those the one with the highest rank.  index is replaced. */
void span_flatten(struct span_list *, struct span_index *);

/* The value at address, or SPAN_NONE. */
uint32_t span_find(const struct span_index *, uint64_t address);

/* The end of the piece that holds address; UINT64_MAX behind the last. */
uint64_t span_piece_end(const struct span_index *, uint64_t address);

#endif
