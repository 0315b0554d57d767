/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disjoint sorted ranges in leaves. */
#include "model/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void ranges_init(struct ranges *r)
{
	memset(r, 0, sizeof(*r));
}

void ranges_release(struct ranges *r)
{
	for (size_t i = 0; i < r->leaves.count; i++)
		free(r->leaves.items[i]);
	vector_release(&r->leaves);
	r->count = 0;
}

/* Index of the last leaf that starts at or before addr; 0 when none does. */
static size_t leaf_of(const struct ranges *r, uint64_t addr)
{
	size_t low = 0, high = r->leaves.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (r->leaves.items[middle]->items[0].start <= addr)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Index of the first item of the leaf that starts above addr. */
static size_t item_above(const struct ranges_leaf *leaf, uint64_t addr)
{
	size_t low = 0, high = leaf->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (leaf->items[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct live_range *ranges_overlap(struct ranges *r, uint64_t start, uint64_t end)
{
	struct ranges_leaf *leaf;
	size_t at, i;

	if (!r->leaves.count || start >= end)
		return NULL;
	at = leaf_of(r, start);
	leaf = r->leaves.items[at];
	i = item_above(leaf, start);
	if (i > 0 && leaf->items[i - 1].end > start)
		return &leaf->items[i - 1];
	if (i == leaf->count) {
		if (at + 1 == r->leaves.count)
			return NULL;
		leaf = r->leaves.items[at + 1];
		i = 0;
	}
	return leaf->items[i].start < end ? &leaf->items[i] : NULL;
}

static void leaf_add(struct ranges *r, size_t at, struct ranges_leaf *leaf)
{
	vector_push(&r->leaves, NULL);
	memmove(&r->leaves.items[at + 1], &r->leaves.items[at],
		(r->leaves.count - 1 - at) * sizeof(r->leaves.items[0]));
	r->leaves.items[at] = leaf;
}

static void leaf_split(struct ranges *r, size_t at)
{
	struct ranges_leaf *low = r->leaves.items[at];
	struct ranges_leaf *high = xcalloc(1, sizeof(*high));

	high->count = low->count / 2;
	low->count -= high->count;
	memcpy(high->items, &low->items[low->count], high->count * sizeof(high->items[0]));
	leaf_add(r, at + 1, high);
}

void ranges_insert(struct ranges *r, const struct live_range *range)
{
	struct ranges_leaf *leaf;
	size_t at, i;

	if (!r->leaves.count)
		leaf_add(r, 0, xcalloc(1, sizeof(*leaf)));
	at = leaf_of(r, range->start);
	if (r->leaves.items[at]->count == RANGES_LEAF) {
		leaf_split(r, at);
		at = leaf_of(r, range->start);
	}
	leaf = r->leaves.items[at];
	i = item_above(leaf, range->start);
	memmove(&leaf->items[i + 1], &leaf->items[i], (leaf->count - i) * sizeof(leaf->items[0]));
	leaf->items[i] = *range;
	leaf->count++;
	r->count++;
}

void ranges_remove(struct ranges *r, struct live_range *range)
{
	size_t at = leaf_of(r, range->start);
	struct ranges_leaf *leaf = r->leaves.items[at];
	size_t i = (size_t)(range - leaf->items);

	memmove(&leaf->items[i], &leaf->items[i + 1], (leaf->count - i - 1) * sizeof(leaf->items[0]));
	leaf->count--;
	r->count--;
	if (leaf->count)
		return;
	free(leaf);
	memmove(&r->leaves.items[at], &r->leaves.items[at + 1],
		(r->leaves.count - at - 1) * sizeof(r->leaves.items[0]));
	r->leaves.count--;
}
