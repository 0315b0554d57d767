/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interning of frames in the region's depot. */
#include "hook/depot.h"

#include "hook/raw.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define FRAME_EXACT_BIT	63	/* of FRAME_EXACT, where a node has DEPOT_EXACT, bit 0, in its flags */
#define PROBES_MAX	1024u	/* a longer search means that the last level is as good as full */

static struct channel_region *region;
static struct depot_node *nodes;
static uint32_t nodes_max, levels;
static _Atomic uint64_t *level_base[CHANNEL_INDEX_LEVELS];

void depot_init(const struct channel_header *header, struct channel_region *new_region)
{
	struct channel_layout l = channel_layout(header->threads_max, header->nodes_max, header->chunks_max,
						 false);
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

static inline uint32_t tag_of(uint64_t path)
{
	return (uint32_t)path;
}

static inline _Atomic uint64_t *slot_of(uint32_t level, uint32_t tag, uint32_t probe)
{
	uint32_t bits = channel_index_bits(level);

	return &level_base[level][((tag >> (32 - bits)) + probe) & ((1u << bits) - 1)];
}

static inline bool is_frame(const struct depot_node *node, uint64_t frame)
{
	uint64_t stored = atomic_load_explicit(&node->frame, memory_order_acquire);

	return (stored | (uint64_t)node->flags << FRAME_EXACT_BIT) == frame;
}

static inline bool is_node(uint32_t id, uint32_t parent, uint64_t frame)
{
	return likely(id < nodes_max) && nodes[id].parent == parent && is_frame(&nodes[id], frame);
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

/* Puts an entry of another level into this one. */
static void copy_entry(uint32_t level, uint64_t entry)
{
	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		uint64_t old = 0;

		if (atomic_compare_exchange_strong(slot_of(level, entry >> 32, i), &old, entry) ||
		    old == entry)
			return;
	}
}

/* Copies the entries of nodes from `id` on; returns where those of later begin. */
static uint32_t copy_from(uint32_t level, uint32_t id)
{
	uint32_t fresh = atomic_load(&region->node_fresh);

	for (uint64_t i = 0; i < 1ull << channel_index_bits(level); i++) {
		uint64_t entry = atomic_load_explicit(&level_base[level][i], memory_order_acquire);

		if (entry && (uint32_t)entry >= id)
			copy_entry(level + 1, entry);
	}
	return fresh;
}

/* Others add nodes to the old level meanwhile: the second pass finds few, the third, after the switch,
 * fewer still.  Two threads may do it at once: same result. */
static void grow(uint32_t level)
{
	uint32_t id = copy_from(level, 0), from = level;

	id = copy_from(level, id);
	atomic_compare_exchange_strong(&region->index_level, &from, level + 1);
	copy_from(level, id);
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

static uint32_t search(uint32_t level, uint32_t parent, uint64_t frame, uint32_t tag)
{
	uint32_t own = 0;

	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		_Atomic uint64_t *s = slot_of(level, tag, i);
		uint64_t entry = atomic_load_explicit(s, memory_order_acquire);

		if (!entry) {
			if (!own)
				own = new_node(parent, frame);
			if (!own)
				return 0;
			if (atomic_compare_exchange_strong(s, &entry, (uint64_t)tag << 32 | own))
				return own;
		}
		if (entry >> 32 == tag && is_node((uint32_t)entry, parent, frame))
			return (uint32_t)entry;
	}
	return own;
}

static inline uint32_t current_level(void)
{
	return atomic_load_explicit(&region->index_level, memory_order_acquire);
}

void depot_fetch(uint64_t path)
{
	uint32_t level = current_level();

	if (likely(level < levels))
		__builtin_prefetch((const void *)slot_of(level, tag_of(path), 0));
}

uint32_t depot_child(uint32_t parent, uint64_t frame, uint64_t path)
{
	uint32_t level = current_level(), id;

	if (unlikely(level >= levels))
		return 0;
	id = search(level, parent, frame, tag_of(path));
	if (likely(id))
		make_room(level);
	return id;
}

/* A node that may be of this frame and path. */
static uint32_t guess(uint64_t frame, uint32_t tag)
{
	uint32_t level = current_level();

	for (uint32_t i = 0; level < levels && i < PROBES_MAX; i++) {
		uint64_t entry = atomic_load_explicit(slot_of(level, tag, i), memory_order_acquire);

		if (!entry)
			return 0;
		if (entry >> 32 == tag && (uint32_t)entry < nodes_max &&
		    is_frame(&nodes[(uint32_t)entry], frame))
			return (uint32_t)entry;
	}
	return 0;
}

bool depot_find(uint32_t caller, uint64_t path, const uint64_t *frame, ptrdiff_t stride, unsigned n,
		uint32_t *id)
{
	uint32_t node = guess(*frame, tag_of(path));

	for (; n; n--) {
		const struct depot_node *at = &nodes[node];

		if (unlikely(node - DEPOT_FIRST >= nodes_max - DEPOT_FIRST) || !is_frame(at, *frame))
			return false;
		*id = node;
		node = at->parent;
		frame = (const uint64_t *)((const char *)frame + stride);
		id = (uint32_t *)((char *)id + stride);
	}
	return node == caller;
}
