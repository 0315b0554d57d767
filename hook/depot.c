/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interning of frames in the region's depot. */
#include "hook/depot.h"

#include "hook/depot_index.h"
#include "hook/raw.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define FRAME_EXACT_BIT	63	/* of FRAME_EXACT, where a node has DEPOT_EXACT, bit 0, in its flags */

static struct channel_region *region;
static struct depot_node *nodes;
static uint32_t nodes_max;
static struct depot_index x;

void depot_init(const struct channel_header *header, struct channel_region *new_region)
{
	struct channel_layout l = channel_layout(header->threads_max, header->nodes_max, header->chunks_max,
						 false);
	uint32_t fresh = atomic_load(&new_region->node_fresh);

	region = new_region;
	nodes = (void *)((char *)region + l.nodes);
	nodes_max = header->nodes_max;
	x.region = region;
	x.directory = (void *)((char *)region + l.index);
	x.pages = (void *)((char *)region + l.index + channel_index_pages_offset());
	x.pages_max = channel_index_pages(nodes_max);
	if (fresh < DEPOT_FIRST)
		atomic_store(&region->node_fresh, DEPOT_FIRST);
}

static inline uint32_t tag_of(uint64_t path)
{
	return (uint32_t)path;
}

static inline bool is_frame(const struct depot_node *node, uint64_t frame)
{
	uint64_t stored = atomic_load_explicit(&node->frame, memory_order_acquire);

	return (stored | (uint64_t)node->flags << FRAME_EXACT_BIT) == frame;
}

#define ANY_PARENT	UINT32_MAX

static inline bool is_node(uint32_t id, uint32_t parent, uint64_t frame)
{
	return likely(id < nodes_max) && (parent == ANY_PARENT || nodes[id].parent == parent) &&
		is_frame(&nodes[id], frame);
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

/* The node of `frame` under `parent`, 0: there is none. */
static inline __attribute__((always_inline)) uint32_t search(uint32_t parent, uint64_t frame, uint32_t tag)
{
	const _Atomic uint64_t *page = depot_index_page(&x, tag);
	uint32_t slot = depot_index_first(tag);

	for (uint32_t i = 1; i < CHANNEL_INDEX_SLOTS; i++, slot = depot_index_next(slot)) {
		uint64_t entry = atomic_load_explicit(&page[slot], memory_order_acquire);

		if (!entry)
			return 0;
		if (entry >> 32 == tag && is_node((uint32_t)entry, parent, frame))
			return (uint32_t)entry;
	}
	return 0;
}

/* Looks again, and makes it.  Where the page has no place left, nobody will find it; it is good all the
 * same. */
static __attribute__((noinline)) uint32_t insert(uint32_t parent, uint64_t frame, uint32_t tag)
{
	_Atomic uint64_t *page = depot_index_settled(&x, tag);
	uint32_t slot = depot_index_first(tag), own = 0;

	for (uint32_t i = 1; i < CHANNEL_INDEX_SLOTS; i++, slot = depot_index_next(slot)) {
		uint64_t entry = atomic_load_explicit(&page[slot], memory_order_acquire), mine;

		if (!entry) {
			own = own ? own : new_node(parent, frame);
			mine = (uint64_t)tag << 32 | own;
			if (!own)
				return 0;
			if (atomic_compare_exchange_strong(&page[slot], &entry, mine)) {
				depot_index_added(&x, page, mine);
				return own;
			}
		}
		if (entry >> 32 == tag && is_node((uint32_t)entry, parent, frame))
			return (uint32_t)entry;
	}
	return own ? own : new_node(parent, frame);
}

void depot_fetch(uint64_t path)
{
	uint32_t tag = tag_of(path);

	__builtin_prefetch((const void *)&depot_index_page(&x, tag)[depot_index_first(tag)]);
}

uint32_t depot_child(uint32_t parent, uint64_t frame, uint64_t path)
{
	uint32_t id = search(parent, frame, tag_of(path));

	return likely(id) ? id : insert(parent, frame, tag_of(path));
}

bool depot_find(uint32_t caller, uint64_t path, const uint64_t *frame, ptrdiff_t stride, unsigned n,
		uint32_t *id)
{
	uint32_t node = search(ANY_PARENT, *frame, tag_of(path));

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
