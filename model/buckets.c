/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes over time in equal buckets. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"

#define FIRST_SHIFT	0u	/* so that the shortest trace fills some of them */

void buckets_init(struct buckets *b)
{
	memset(b, 0, sizeof(*b));
	b->items = xcalloc(BUCKETS, sizeof(*b->items));
	b->shift = FIRST_SHIFT;
	b->base = UINT64_MAX;
}

void buckets_release(struct buckets *b)
{
	free(b->items);
}

static void fold(struct buckets *b)
{
	for (size_t i = 0; i < BUCKETS / 2; i++) {
		const struct bucket *low = &b->items[2 * i], *high = &b->items[2 * i + 1];

		b->items[i] = (struct bucket){
			low->allocated + high->allocated, low->freed + high->freed,
			low->high > high->high ? low->high : high->high,
		};
	}
	memset(b->items + BUCKETS / 2, 0, BUCKETS / 2 * sizeof(*b->items));
	b->used = (b->used + 1) / 2;
	b->shift++;
}

/* The bucket of a stamp; stamps before the first one's fall into the first. */
struct bucket *buckets_at(struct buckets *b, uint64_t stamp)
{
	uint64_t index;

	if (b->base == UINT64_MAX)
		b->base = stamp;
	if (stamp < b->base)
		stamp = b->base;
	while ((index = (stamp - b->base) >> b->shift) >= BUCKETS)
		fold(b);
	if (index >= b->used)
		b->used = index + 1;
	return &b->items[index];
}
