/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interning of frames in the region's depot. */
#include "hook/depot.h"

#include <stdbool.h>

#include "hook/raw.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define PROBES_MAX	1024u	/* a longer search means that the last level is as good as full */

static struct channel_region *region;
static struct depot_node *nodes;
static uint32_t nodes_max, levels;
static _Atomic uint64_t *level_base[CHANNEL_INDEX_LEVELS];

void depot_init(const struct channel_header *header, struct channel_region *new_region)
{
	struct channel_layout l = channel_layout(header->threads_max, header->nodes_max, header->chunks_max);
	uint32_t fresh = atomic_load(&new_region->node_fresh);

	region = new_region;
	nodes = (void *)((char *)region + l.nodes);
	nodes_max = header->nodes_max;
	for (levels = 0; levels < CHANNEL_INDEX_LEVELS; levels++) {
		if (levels && channel_index_bits(levels) > header->index_bits_max)
			break;
		level_base[levels] = (void *)((char *)region + l.index + channel_index_offset(levels));
	}
	if (fresh < DEPOT_FIRST)
		atomic_store(&region->node_fresh, DEPOT_FIRST);
}

static inline uint64_t hash_of(uint32_t parent, uint64_t frame)
{
	uint64_t h = (frame ^ (uint64_t)parent * 0xc2b2ae3d27d4eb4full) * 0x9e3779b97f4a7c15ull;

	return h ^ h >> 29;
}

/* The high bits choose the slot, the low ones are kept in it. */
static inline uint64_t slot_of(uint64_t hash, uint32_t level)
{
	return hash >> (64 - channel_index_bits(level));
}

static inline bool is_node(uint32_t id, uint32_t parent, uint64_t frame)
{
	const struct depot_node *node = &nodes[id];

	return likely(id < nodes_max) && node->parent == parent &&
	       atomic_load_explicit(&node->frame, memory_order_acquire) == (frame & ~FRAME_EXACT) &&
	       node->flags == (frame & FRAME_EXACT ? DEPOT_EXACT : 0);
}

/* A new node, complete; 0: there is no room.  The check before the add keeps node_fresh from
 * running away: it ends at most one per thread above nodes_max, and readers clamp it. */
static uint32_t new_node(uint32_t parent, uint64_t frame)
{
	uint32_t id;

	if (atomic_load_explicit(&region->node_fresh, memory_order_relaxed) >= nodes_max)
		return 0;
	id = atomic_fetch_add_explicit(&region->node_fresh, 1, memory_order_relaxed);
	if (id >= nodes_max)
		return 0;
	nodes[id].parent = parent;
	nodes[id].flags = frame & FRAME_EXACT ? DEPOT_EXACT : 0;
	atomic_store_explicit(&nodes[id].frame, frame & ~FRAME_EXACT, memory_order_release);
	return id;
}

/* Puts a node that exists into the level that is not in use yet. */
static void index_node(uint32_t level, uint32_t id)
{
	uint64_t frame = atomic_load_explicit(&nodes[id].frame, memory_order_acquire);
	uint64_t mask = (1ull << channel_index_bits(level)) - 1, hash, slot;

	if (!frame)
		return;
	hash = hash_of(nodes[id].parent, nodes[id].flags & DEPOT_EXACT ? frame | FRAME_EXACT : frame);
	slot = slot_of(hash, level);
	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		_Atomic uint64_t *s = &level_base[level][(slot + i) & mask];
		uint64_t wanted = hash << 32 | id, old = 0;

		if (atomic_compare_exchange_strong(s, &old, wanted) || old == wanted)
			return;
	}
}

/* Indexes the nodes from `id` on; returns where those of later begin. */
static uint32_t index_from(uint32_t level, uint32_t id)
{
	uint32_t end = atomic_load(&region->node_fresh);

	if (end > nodes_max)
		end = nodes_max;
	for (; id < end; id++)
		index_node(level, id);
	return id;
}

/* Others add nodes to the old level meanwhile: the second pass is short, the third after the switch
 * shorter still.  Two threads may do it at once: same result. */
static void grow(uint32_t level)
{
	uint32_t next = level + 1, id = index_from(next, DEPOT_FIRST);

	id = index_from(next, id);
	atomic_compare_exchange_strong(&region->index_level, &level, next);
	index_from(next, id);
}

/* Grows the index when it is 5/8 full.  One thread copies, the others go on; at 7/8 nobody waits
 * for it any more, since a longjmp may have abandoned it. */
static void make_room(uint32_t level)
{
	uint32_t used = atomic_load_explicit(&region->node_fresh, memory_order_relaxed), none = 0;
	uint32_t eighth = (1u << channel_index_bits(level)) / 8;

	if (likely(used < 5 * eighth) || level + 1 >= levels)
		return;
	if (atomic_compare_exchange_strong(&region->index_lock, &none, 1) || used >= 7 * eighth) {
		grow(level);
		atomic_store(&region->index_lock, 0);
	}
}

static uint32_t search(uint32_t level, uint32_t parent, uint64_t frame)
{
	uint64_t hash = hash_of(parent, frame), mask = (1ull << channel_index_bits(level)) - 1;
	uint64_t slot = slot_of(hash, level);
	uint32_t own = 0;

	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		_Atomic uint64_t *s = &level_base[level][(slot + i) & mask];
		uint64_t entry = atomic_load_explicit(s, memory_order_acquire);

		if (!entry) {
			if (!own)
				own = new_node(parent, frame);
			if (!own)
				return 0;
			if (atomic_compare_exchange_strong(s, &entry, hash << 32 | own))
				return own;
		}
		if (entry >> 32 == (uint32_t)hash && is_node((uint32_t)entry, parent, frame))
			return (uint32_t)entry;
	}
	return own;
}

uint32_t depot_child(uint32_t parent, uint64_t frame)
{
	uint32_t level = atomic_load_explicit(&region->index_level, memory_order_acquire);
	uint32_t id;

	if (unlikely(level >= levels))
		return 0;
	id = search(level, parent, frame);
	if (likely(id))
		make_room(level);
	return id;
}
