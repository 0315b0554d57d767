/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees: made and summed up in passes over the groups of a selection. */
#include "model/calltree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "model/calltree_state.h"

#define NEW_NODE	4u	/* as much work as so many groups */
#define NEW_LABEL	20u	/* the same of the name of a place */
#define NODES		4u	/* so many nodes' sums are as much work as a group */

struct calltree *calltree_new(struct selection *selection, enum calltree_kind kind)
{
	struct calltree *t = xcalloc(1, sizeof(*t));
	struct tree_node root = {
		.label = HEAP_NONE, .first = HEAP_NONE, .next = HEAP_NONE, .leaf = HEAP_NONE,
		.frame = HEAP_NONE, .open = true, .automatic = AUTO_CHAIN,
	};

	t->selection = selection;
	t->heap = selection->heap;
	t->kind = kind;
	t->stale = true;
	t->order = 1;
	map_init(&t->label_index);
	map_init(&t->children);
	t->unfolds = CALLTREE_UNFOLDS;
	for (unsigned i = 0; i < CALLTREE_PINS; i++)
		t->pins[i] = HEAP_NONE;
	vector_push(&t->nodes, root);
	t->symbols = t->heap->modules.generation;
	return t;
}

/* All it owns but itself. */
static void tree_release(struct calltree *t)
{
	vector_release(&t->labels);
	map_release(&t->label_index);
	vector_release(&t->places);
	vector_release(&t->label_ids);
	vector_release(&t->nodes);
	map_release(&t->children);
	vector_release(&t->of);
	vector_release(&t->sums);
	vector_release(&t->next);
	tree_noise_release(t);
	vector_release(&t->rows);
	vector_release(&t->row_of);
	vector_release(&t->ranked);
}

void calltree_free(struct calltree *t)
{
	if (!t)
		return;
	calltree_free(t->fresh);
	tree_release(t);
	free(t);
}

uint32_t tree_child(struct calltree *t, uint32_t parent, uint32_t label, struct place_in in)
{
	bool created;
	uint64_t *index = map_place(&t->children, (uint64_t)parent << 32 | label, &created);
	struct tree_node *node;

	if (created) {
		struct tree_node made = {
			.parent = parent, .label = label, .first = HEAP_NONE,
			.next = t->nodes.items[parent].first, .leaf = in.leaf, .frame = in.frame, .part = in.part,
		};

		made.depth = (uint16_t)(t->nodes.items[parent].depth + (t->nodes.items[parent].depth < UINT16_MAX));
		*index = t->nodes.count;
		vector_push(&t->nodes, made);
		t->nodes.items[parent].first = (uint32_t)*index;
		t->nodes.items[parent].sorted = 0;
		return (uint32_t)*index;
	}
	node = &t->nodes.items[*index];
	if (node->frame != in.frame && node->frame != HEAP_NONE && in.frame != HEAP_NONE && !node->mixed) {
		const struct stack_node *stacks = t->heap->stacks.nodes.items;

		node->mixed = stacks[node->frame].frame != stacks[in.frame].frame;
	}
	return (uint32_t)*index;
}

static struct amounts *next_of(struct calltree *t, uint32_t node)
{
	if (node >= t->next.count)
		vector_resize(&t->next, t->nodes.count);
	return &t->next.items[node];
}

/* All of it is made at once: the sums are passed up in the end. */
static size_t add_down(struct calltree *t, const struct group *g)
{
	size_t nodes = t->nodes.count, labels = t->label_ids.count;
	uint32_t node = tree_down(t, &t->heap->sites.items[g->site]);

	amounts_add(next_of(t, node), &g->amounts, 1);
	tree_noise_add(t, node, t->at);
	return 1 + NEW_NODE * (t->nodes.count - nodes) + NEW_LABEL * (t->label_ids.count - labels);
}

/* Only as far as it is unfolded. */
static size_t add_outwards(struct calltree *t, const struct group *g)
{
	struct tree_way way = tree_way_of(t, &t->heap->sites.items[g->site]);
	uint32_t node = CALLTREE_ROOT, label;
	size_t steps = 1, labels = t->label_ids.count;
	struct place_in in;

	amounts_add(next_of(t, node), &g->amounts, 1);
	tree_noise_add(t, node, t->at);
	while ((label = tree_way_next(t, &way, &in)) != HEAP_NONE) {
		t->nodes.items[node].more = t->pass;
		if (!t->nodes.items[node].open)
			break;
		node = tree_child(t, node, label, in);
		amounts_add(next_of(t, node), &g->amounts, 1);
		tree_noise_add(t, node, t->at);
		steps++;
	}
	return steps + NEW_LABEL * (t->label_ids.count - labels);
}

static void pass_start(struct calltree *t)
{
	t->passing = PASS_CLEARS;
	t->stale = false;
	t->pass++;
	t->at = 0;
	t->groups_epoch = t->selection->groups_epoch;
	t->seen = t->selection->generation;
	t->learnt = t->heap->wrappers.generation;
	vector_clear(&t->next);
	tree_noise_clear(t);
	/* Most nodes of stacks become one: a map that grows to this many is copied again and again. */
	if (t->kind == CALLTREE_DOWN && !t->sums.count)
		map_reserve(&t->children, t->heap->stacks.nodes.count);
}

/* Each of the three returns how much of max is left; 0: there is more to do. */
static size_t clear_next(struct calltree *t, size_t max)
{
	size_t left = t->nodes.count - t->next.count, now = left / NODES < max ? left : max * NODES;

	vector_reserve(&t->next, t->nodes.count);
	vector_resize(&t->next, t->next.count + now);
	max -= now / NODES < max ? now / NODES : max;
	if (t->next.count < t->nodes.count)
		return 0;
	t->passing = PASS_ADDS;
	return max;
}

static size_t add_groups(struct calltree *t, size_t max)
{
	for (; max && t->at < t->selection->groups.count; t->at++) {
		const struct group *g = &t->selection->groups.items[t->at];
		size_t steps = !g->amounts.count ? 1 : t->kind == CALLTREE_DOWN ? add_down(t, g) : add_outwards(t, g);

		max -= steps < max ? steps : max;
	}
	if (t->at < t->selection->groups.count)
		return 0;
	vector_resize(&t->next, t->nodes.count);
	t->up = t->nodes.count;
	t->passing = PASS_SUMS_UP;
	return max;
}

static size_t sum_up(struct calltree *t, size_t max)
{
	size_t now = t->kind != CALLTREE_DOWN || !t->up ? 0 : (t->up - 1) / NODES < max ? t->up - 1 : max * NODES;

	for (size_t end = t->up - now; t->up > end; t->up--) {
		uint32_t node = (uint32_t)t->up - 1, parent = t->nodes.items[node].parent;

		amounts_add(&t->next.items[parent], &t->next.items[node], 1);
		tree_noise_up(t, node, parent);
	}
	max -= now / NODES < max ? now / NODES : max;
	return t->kind == CALLTREE_DOWN && t->up > 1 ? 0 : max ? max : 1;
}

static void pass_end(struct calltree *t)
{
	struct calltree_sums sums = t->sums;

	t->sums = t->next;
	t->next = sums;
	tree_noise_take(t);
	t->passing = PASS_NONE;
	t->order++;
	tree_rows(t);
}

static bool is_current(const struct calltree *t)
{
	return !t->passing && !t->stale && t->seen == t->selection->generation &&
	       (t->kind == CALLTREE_DOWN || t->learnt == t->heap->wrappers.generation) &&
	       t->symbols == t->heap->modules.generation;
}

static bool is_urgent(const struct calltree *t)
{
	return t->passing || t->stale || t->groups_epoch != t->selection->groups_epoch;
}

bool calltree_wants(const struct calltree *t, bool *hurry)
{
	*hurry = t->fresh ? is_urgent(t->fresh) : is_urgent(t);
	return !is_current(t);
}

/* Returns whether a pass came to its end. */
static bool step_pass(struct calltree *t, size_t max)
{
	if (!t->passing || t->groups_epoch != t->selection->groups_epoch)
		pass_start(t);
	if (t->passing == PASS_CLEARS)
		max = clear_next(t, max);
	if (max && t->passing == PASS_ADDS)
		max = add_groups(t, max);
	if (!max || !sum_up(t, max))
		return false;
	pass_end(t);
	return true;
}

/* The fresh tree takes the place of the old one. */
static void replace(struct calltree *t)
{
	struct calltree *fresh = t->fresh;

	tree_recall(fresh, t);
	fresh->cost = t->cost;
	fresh->reverse = t->reverse;
	fresh->generation += t->generation;
	fresh->order++;
	fresh->stale |= t->kind != CALLTREE_DOWN;
	tree_release(t);
	*t = *fresh;
	free(fresh);
	tree_rows(t);
}

bool calltree_step(struct calltree *t, size_t max)
{
	if (is_current(t))
		return true;
	if (!t->fresh && t->symbols != t->heap->modules.generation)
		t->fresh = tree_renew(t);
	if (!t->fresh)
		step_pass(t, max);
	else if (step_pass(t->fresh, max))
		replace(t);
	return is_current(t);
}

uint64_t calltree_generation(const struct calltree *t)
{
	return t->generation;
}

void calltree_amounts(const struct calltree *t, uint32_t node, struct amounts *out)
{
	static const struct amounts none;

	amounts_whole(t->heap, node < t->sums.count ? &t->sums.items[node] : &none, out);
}

void calltree_self(const struct calltree *t, uint32_t node, struct amounts *out)
{
	struct amounts self = { 0 };

	if (node < t->sums.count)
		self = t->sums.items[node];
	for (uint32_t child = t->nodes.items[node].first; child != HEAP_NONE; child = t->nodes.items[child].next)
		if (child < t->sums.count)
			amounts_add(&self, &t->sums.items[child], UINT64_MAX);
	amounts_whole(t->heap, &self, out);
}

uint64_t calltree_cost_of(const struct calltree *t, uint32_t node)
{
	uint64_t units = tree_cost(t, node);

	return cost_is_bytes(t->cost) ? heap_bytes(t->heap, units) : heap_count(t->heap, units);
}

uint32_t calltree_parent(const struct calltree *t, uint32_t node)
{
	return t->nodes.items[node].parent;
}

unsigned calltree_depth(const struct calltree *t, uint32_t node)
{
	return t->nodes.items[node].depth;
}

size_t calltree_count(const struct calltree *t)
{
	return t->nodes.count;
}
