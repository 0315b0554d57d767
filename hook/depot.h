/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The depot: an exact trie of frames in the region, lock-free.
 *
 *   index level   | hash (32 bits) | node id (32 bits) |   0: free
 *   nodes         { frame, parent, flags }                 frame last: it makes the node visible
 *
 * A node is found by its parent and frame.  When an index level fills up, one thread copies it into
 * the next, larger level; a frame that another thread adds to the old level meanwhile may get a
 * second node later, which readers merge. */
#ifndef HOOK_DEPOT_H
#define HOOK_DEPOT_H

#include <stdint.h>

struct channel_header;
struct channel_region;

void depot_init(const struct channel_header *header, struct channel_region *region);

/* The node of `frame` (pc | epoch << 48, FRAME_EXACT) under `parent` (a node or an enum stack_root);
 * 0: the depot is full. */
uint32_t depot_child(uint32_t parent, uint64_t frame);

#endif
