/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of a call tree is unfolded, as lines; its children in order. */
#include <stdlib.h>

#include "model/calltree_state.h"

#define ONE_WAY	10u	/* a child with all but a tenth of its parent is its only way */

static int compare(const void *a, const void *b)
{
	const struct ranked_node *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Highest cost first, or lowest; those without any come last. */
static void tree_sort_children(struct calltree *t, uint32_t node)
{
	struct tree_node *parent = &t->nodes.items[node];
	uint32_t *link = &parent->first;
	size_t shown = 0;

	if (parent->sorted == t->order)
		return;
	parent->sorted = t->order;
	vector_clear(&t->ranked);
	for (uint32_t at = parent->first; at != HEAP_NONE; at = t->nodes.items[at].next)
		vector_push(&t->ranked, (struct ranked_node){ tree_cost(t, at), at });
	if (t->ranked.count < 2)
		return;
	qsort(t->ranked.items, t->ranked.count, sizeof(*t->ranked.items), compare);
	while (shown < t->ranked.count && t->ranked.items[shown].cost)
		shown++;
	for (size_t i = 0; i < t->ranked.count; i++) {
		size_t at = t->reverse && i < shown ? shown - 1 - i : i;

		*link = t->ranked.items[at].node;
		link = &t->nodes.items[*link].next;
	}
	*link = HEAP_NONE;
}

static uint32_t with_cost(const struct calltree *t, uint32_t node)
{
	return node != HEAP_NONE && tree_cost(t, node) ? node : HEAP_NONE;
}

uint32_t calltree_first_child(struct calltree *t, uint32_t node)
{
	tree_sort_children(t, node);
	return with_cost(t, t->nodes.items[node].first);
}

/* Its parent's children were sorted for the first of them. */
uint32_t calltree_next_sibling(struct calltree *t, uint32_t node)
{
	return node == CALLTREE_ROOT ? HEAP_NONE : with_cost(t, t->nodes.items[node].next);
}

bool calltree_has_children(const struct calltree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.items[node];

	if (t->kind != CALLTREE_DOWN)
		return n->more && n->more + 1 >= t->pass;
	for (uint32_t at = n->first; at != HEAP_NONE; at = t->nodes.items[at].next)
		if (tree_cost(t, at))
			return true;
	return false;
}

static void open_node(struct calltree *t, uint32_t node, uint8_t automatic)
{
	t->nodes.items[node].automatic = automatic;
	if (t->nodes.items[node].open)
		return;
	t->nodes.items[node].open = true;
	t->stale |= t->kind != CALLTREE_DOWN;
}

/* Unfold what comes with a node, once its children are there. */
static void unfold_more(struct calltree *t, uint32_t node)
{
	uint8_t automatic = t->nodes.items[node].automatic;
	uint32_t child = calltree_first_child(t, node);

	if (automatic == AUTO_NONE || child == HEAP_NONE)
		return;
	t->nodes.items[node].automatic = AUTO_NONE;
	if (automatic == AUTO_CHAIN) {
		for (uint32_t at = child; t->reverse && at != HEAP_NONE; at = calltree_next_sibling(t, at))
			child = at;
		if (tree_cost(t, child) >= tree_cost(t, node) - tree_cost(t, node) / ONE_WAY &&
		    calltree_has_children(t, child))
			open_node(t, child, AUTO_CHAIN);
		return;
	}
	for (; child != HEAP_NONE && t->unfolds; child = calltree_next_sibling(t, child)) {
		if (!calltree_has_children(t, child))
			continue;
		open_node(t, child, AUTO_ALL);
		t->unfolds--;
	}
}

static void place_row(struct calltree *t, struct calltree_row *r, uint32_t zoom)
{
	uint32_t parent = t->nodes.items[r->node].parent, row = t->row_of.items[parent];

	if (r->node == zoom || !row)
		return;
	r->only = calltree_next_sibling(t, calltree_first_child(t, parent)) == HEAP_NONE;
	r->indent = t->rows.items[row - 1].indent + !r->only;
}

static void push_row(struct calltree *t, uint32_t node, uint32_t zoom)
{
	struct calltree_row r = { .node = node };

	place_row(t, &r, zoom);
	vector_push(&t->rows, r);
	t->row_of.items[node] = (uint32_t)t->rows.count;
}

/* The node of the line behind that of a node; zoom itself at the end. */
static uint32_t row_after(struct calltree *t, uint32_t node, uint32_t zoom)
{
	uint32_t next = HEAP_NONE;

	if (t->nodes.items[node].open) {
		unfold_more(t, node);
		next = calltree_first_child(t, node);
	}
	while (next == HEAP_NONE && node != zoom) {
		next = calltree_next_sibling(t, node);
		node = t->nodes.items[node].parent;
	}
	return next == HEAP_NONE ? zoom : next;
}

void tree_rows(struct calltree *t)
{
	uint32_t zoom = t->pins[PIN_ZOOM], node = zoom;

	vector_clear(&t->rows);
	vector_clear(&t->row_of);
	vector_resize(&t->row_of, t->nodes.count);
	if (zoom != CALLTREE_ROOT)
		push_row(t, zoom, zoom);
	while ((node = row_after(t, node, zoom)) != zoom)
		push_row(t, node, zoom);
	t->generation++;
}

void calltree_cost(struct calltree *t, enum cost cost, bool reverse)
{
	if (t->cost == cost && t->reverse == reverse)
		return;
	t->cost = cost;
	t->reverse = reverse;
	t->order++;
	tree_rows(t);
}

bool calltree_is_open(const struct calltree *t, uint32_t node)
{
	return t->nodes.items[node].open;
}

void calltree_unfold(struct calltree *t, uint32_t node)
{
	t->unfolds = CALLTREE_UNFOLDS;
	open_node(t, node, AUTO_CHAIN);
	tree_rows(t);
}

void calltree_fold(struct calltree *t, uint32_t node)
{
	if (node == CALLTREE_ROOT)
		return;
	t->nodes.items[node].open = false;
	tree_rows(t);
}

/* Those that are open already pass it on. */
bool calltree_unfold_all(struct calltree *t, uint32_t node)
{
	t->unfolds = CALLTREE_UNFOLDS;
	open_node(t, node, AUTO_ALL);
	tree_rows(t);
	return t->unfolds > 0;
}

void calltree_zoom(struct calltree *t, uint32_t node)
{
	t->pins[PIN_ZOOM] = node;
	calltree_unfold(t, node);
}

uint32_t calltree_zoomed(const struct calltree *t)
{
	return t->pins[PIN_ZOOM];
}

size_t calltree_row_count(const struct calltree *t)
{
	return t->rows.count;
}

void calltree_row_at(const struct calltree *t, size_t row, struct calltree_row *out)
{
	*out = t->rows.items[row];
}

size_t calltree_row_find(const struct calltree *t, uint32_t node)
{
	return node < t->row_of.count && t->row_of.items[node] ? t->row_of.items[node] - 1 : SIZE_MAX;
}
