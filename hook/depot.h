/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The depot: an exact trie of frames in the region, lock-free.
 *
 *   index   | tag (32 bits) | node id (32 bits) |        hook/depot_index.h
 *   nodes   { frame, parent, flags }                    frame last: it makes the node visible
 *
 * A node is found by the hash of its path from the root, which hangs on no id: the slots of all
 * frames of a stack can be fetched at once, and a whole stack is found by its innermost frame.
 * What is found is compared, so hashes need not be unique. */
#ifndef HOOK_DEPOT_H
#define HOOK_DEPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel_header;
struct channel_region;

void depot_init(const struct channel_header *header, struct channel_region *region);

/* Path of `frame` (pc | epoch << 48, FRAME_EXACT) under the path of its caller; a root's path is its
 * number. */
static inline uint64_t depot_path(uint64_t caller, uint64_t frame)
{
	uint64_t h = (caller ^ frame) * 0x9e3779b97f4a7c15ull;

	return h ^ h >> 32;
}

/* Gets the index slot of a path on its way into the cache. */
void depot_fetch(uint64_t path);

/* The node of `frame` under `parent` (a node or an enum stack_root), made if there is none; path is
 * its own.  0: the depot is full. */
uint32_t depot_child(uint32_t parent, uint64_t frame, uint64_t path);

/* Looks for the n frames under node or root `caller` by the innermost one and its path.  The frames, the
 * innermost first, and their ids, which are stored, lie `stride` bytes apart.  false: not all are
 * there. */
bool depot_find(uint32_t caller, uint64_t path, const uint64_t *frame, ptrdiff_t stride, unsigned n,
		uint32_t *id);

#endif
