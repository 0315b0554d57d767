/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copying new depot nodes. */
#include "launcher/stack_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CHAIN_MAX	512u	/* deeper than any depth limit: longer chains are nonsense */
#define TAKE_MAX	262144u	/* nodes in one go: bounds memory when the counter is nonsense */

void stack_reader_init(struct stack_reader *s, uint32_t base)
{
	memset(s, 0, sizeof(*s));
	s->base = base;
	s->next = s->limit = DEPOT_FIRST;
}

void stack_reader_release(struct stack_reader *s)
{
	free(s->written);
	vector_release(&s->fresh);
}

uint32_t stack_reader_end(const struct stack_reader *s)
{
	return s->base + s->limit;
}

static bool is_written(const struct stack_reader *s, uint32_t id)
{
	return id / 8 < s->written_bytes && s->written[id / 8] >> id % 8 & 1;
}

static void mark_written(struct stack_reader *s, uint32_t id)
{
	size_t bytes = s->written_bytes;

	if (id / 8 >= bytes) {
		s->written_bytes = (id / 8 + 1) * 2 + 4096;
		s->written = xrealloc(s->written, s->written_bytes);
		memset(s->written + bytes, 0, s->written_bytes - bytes);
	}
	s->written[id / 8] |= (uint8_t)(1u << id % 8);
	if (id >= s->limit)
		s->limit = id + 1;
}

/* The region's id as the trace has it. */
static uint32_t stack_id(const struct stack_reader *s, uint32_t id)
{
	return id < DEPOT_FIRST ? id : s->base + id;
}

static bool root_valid(uint32_t id)
{
	return id >= STACK_COMPLETE && id <= STACK_DEPOT_FULL;
}

/* False: a hole. */
static bool node_copy(const struct region *r, uint32_t id, struct trace_stack_node *node)
{
	struct depot_node *from = &r->nodes[id];

	node->frame = atomic_load_explicit(&from->frame, memory_order_acquire);
	node->parent = __atomic_load_n(&from->parent, __ATOMIC_RELAXED);
	node->flags = __atomic_load_n(&from->flags, __ATOMIC_RELAXED) & DEPOT_EXACT;
	node->id = id;
	return node->frame != 0;
}

static void node_put(struct stack_reader *s, struct trace_stack_node *node)
{
	mark_written(s, node->id);
	s->count++;
	node->parent = stack_id(s, node->parent);
	node->id = stack_id(s, node->id);
	vector_push(&s->fresh, *node);
}

/* Fetches a node and what is missing of its callers.  False: it leads nowhere. */
static bool chain_fetch(struct stack_reader *s, const struct region *r, uint32_t id)
{
	struct trace_stack_node chain[CHAIN_MAX];
	uint32_t depth = 0;

	while (!root_valid(id) && !is_written(s, id)) {
		if (id < DEPOT_FIRST || id >= r->nodes_max || depth == CHAIN_MAX || !node_copy(r, id, &chain[depth]))
			return false;
		id = chain[depth++].parent;
	}
	/* A circle that was closed meanwhile would put a node twice. */
	while (depth--)
		if (!is_written(s, chain[depth].id))
			node_put(s, &chain[depth]);
	return true;
}

static void take_new(struct stack_reader *s, const struct region *r)
{
	uint32_t fresh = atomic_load_explicit(&r->shared->node_fresh, memory_order_acquire);
	struct trace_stack_node node;

	if (fresh > r->nodes_max)
		fresh = r->nodes_max;
	if (fresh > s->next && fresh - s->next > TAKE_MAX)
		fresh = s->next + TAKE_MAX;
	for (; s->next < fresh; s->next++) {
		if (is_written(s, s->next) || !node_copy(r, s->next, &node))
			continue;
		if (root_valid(node.parent) || (node.parent >= DEPOT_FIRST && is_written(s, node.parent)))
			node_put(s, &node);
		else
			chain_fetch(s, r, s->next);
	}
}

void stack_reader_take(struct stack_reader *s, const struct region *r, struct batch *b)
{
	take_new(s, r);
	for (size_t i = 0; i < b->count; i++) {
		struct trace_event *e = &b->events[i];

		if (e->stack < DEPOT_FIRST && e->stack <= STACK_DEPOT_FULL)
			continue;
		if (e->stack >= DEPOT_FIRST && (is_written(s, e->stack) || chain_fetch(s, r, e->stack))) {
			e->stack += s->base;
			continue;
		}
		e->stack = STACK_DEPOT_FULL;
		s->unknown++;
	}
}
