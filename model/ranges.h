/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The live page ranges of a heap, disjoint and sorted by address.
 *
 * Ranges lie in leaves of at most RANGES_LEAF entries, so that an insertion moves little even
 * with as many mappings as the kernel allows. */
#ifndef MODEL_RANGES_H
#define MODEL_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct live_range {
	uint64_t start, end;
	uint32_t site, thread;
	uint32_t record;
	uint8_t inner;		/* the allocator's own: site and record are HEAP_NONE */
	uint8_t op;
};

#define RANGES_LEAF	128u

struct ranges_leaf {
	size_t count;		/* never 0 */
	struct live_range items[RANGES_LEAF];
};

struct ranges {
	VECTOR(struct ranges_leaf *) leaves;
	size_t count;
};

void ranges_init(struct ranges *r);
void ranges_release(struct ranges *r);

/* The lowest range that shares a byte with [start, end), or NULL.  Valid until the next
 * insertion or removal; start and end of it may be moved inside its old bounds. */
struct live_range *ranges_overlap(struct ranges *r, uint64_t start, uint64_t end);

/* The caller has made room: nothing overlaps. */
void ranges_insert(struct ranges *r, const struct live_range *range);
void ranges_remove(struct ranges *r, struct live_range *range);

#endif
