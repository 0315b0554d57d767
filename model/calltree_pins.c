/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When names come, a tree is made anew; what is unfolded and what somebody looks at is found
 * again by where in a stack it was. */
#include "model/calltree_state.h"

VECTOR_STRUCT(remembered_list, struct remembered);

static void remember(const struct calltree *t, struct remembered_list *list, uint32_t index, unsigned pin)
{
	const struct tree_node *node = &t->nodes.items[index];

	vector_push(list, (struct remembered){ .leaf = node->leaf, .frame = node->frame, .part = node->part,
					       .label = t->labels.items[node->label], .pin = (uint8_t)pin });
}

static void remember_all(const struct calltree *t, struct remembered_list *list)
{
	for (uint32_t i = 1; i < t->nodes.count; i++)
		if (t->nodes.items[i].open)
			remember(t, list, i, 0);
	for (unsigned pin = 0; pin <= PIN_ZOOM; pin++)
		if (t->pins[pin] != HEAP_NONE && t->pins[pin] != CALLTREE_ROOT && t->pins[pin] < t->nodes.count)
			remember(t, list, t->pins[pin], pin + 1);
}

static uint32_t find_down(struct calltree *t, const struct remembered *r)
{
	struct site site = { .stack = r->frame };
	uint32_t node = tree_down(t, &site);
	uint32_t count = tree_place(t, t->heap->stacks.nodes.items[r->frame].frame)->count;

	for (uint32_t i = 0; i < r->part && i + 1 < count; i++)
		node = t->nodes.items[node].parent;
	return node;
}

static bool is_it(struct calltree *t, const struct remembered *r, uint32_t label, struct place_in in)
{
	uint32_t count;

	if (r->frame == HEAP_NONE)
		return t->labels.items[label].kind == r->label.kind;
	if (in.frame != r->frame)
		return false;
	count = tree_place(t, t->heap->stacks.nodes.items[in.frame].frame)->count;
	return in.part >= r->part || in.part + 1u == count;
}

/* The call site may begin further out now: then there is nothing left of it. */
static uint32_t find_outwards(struct calltree *t, const struct remembered *r)
{
	struct site site = { .stack = r->leaf };
	struct tree_way way = tree_way_of(t, &site);
	uint32_t node = CALLTREE_ROOT, label;
	struct place_in in;

	while ((label = tree_way_next(t, &way, &in)) != HEAP_NONE) {
		node = tree_child(t, node, label, in);
		if (is_it(t, r, label, in))
			return node;
	}
	return HEAP_NONE;
}

static uint32_t find(struct calltree *t, const struct remembered *r)
{
	if (r->leaf == HEAP_NONE)
		return tree_child(t, CALLTREE_ROOT, tree_label(t, &r->label),
				  (struct place_in){ HEAP_NONE, HEAP_NONE, 0 });
	return t->kind == CALLTREE_DOWN ? find_down(t, r) : find_outwards(t, r);
}

/* Folds and pins of t become those of the other. */
void tree_recall(struct calltree *t, const struct calltree *from)
{
	struct remembered_list list = { 0 };

	remember_all(from, &list);
	for (uint32_t i = 1; i < t->nodes.count; i++)
		t->nodes.items[i].open = false;
	for (unsigned pin = 0; pin < CALLTREE_PINS; pin++)
		t->pins[pin] = from->pins[pin] == CALLTREE_ROOT ? CALLTREE_ROOT : HEAP_NONE;
	t->pins[PIN_ZOOM] = CALLTREE_ROOT;
	for (size_t i = 0; i < list.count; i++) {
		uint32_t node = find(t, &list.items[i]);

		if (node == HEAP_NONE)
			continue;
		if (list.items[i].pin)
			t->pins[list.items[i].pin - 1] = node;
		else
			t->nodes.items[node].open = true;
	}
	t->nodes.items[CALLTREE_ROOT].automatic = from->nodes.items[CALLTREE_ROOT].automatic;
	vector_release(&list);
}

struct calltree *tree_renew(const struct calltree *t)
{
	struct calltree *fresh = calltree_new(t->selection, t->kind);

	tree_recall(fresh, t);
	fresh->cost = t->cost;
	fresh->reverse = t->reverse;
	return fresh;
}

void calltree_pin(struct calltree *t, enum calltree_pin pin, uint32_t node)
{
	t->pins[pin] = node;
}

uint32_t calltree_pinned(const struct calltree *t, enum calltree_pin pin)
{
	return t->pins[pin];
}
