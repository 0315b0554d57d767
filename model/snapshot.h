/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The live heap at one moment, with stacks, as text. */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include "base/buffer.h"
#include "model/heap.h"

struct snapshot_sums {
	uint64_t blocks, bytes;		/* live, mappings among them */
};

/* Appends what of this process lives: all call sites, those with the most bytes first, with whole stacks.
 * ns: the moment, for the heading.  sums are added to. */
void snapshot_text(struct heap *heap, uint64_t ns, struct snapshot_sums *sums, struct buffer *out);

#endif
