/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways of stacks through a call tree. */
#include "model/calltree_state.h"

/* Remembers for each node of a stack where it leads, so a caller is looked up once for all its
 * stacks. */
static void of_reserve(struct calltree *t)
{
	if (t->of.count < t->heap->stacks.nodes.count)
		vector_resize(&t->of, t->heap->stacks.nodes.count);
}

static uint32_t below_root(struct calltree *t, uint32_t label, uint32_t leaf)
{
	return label == HEAP_NONE ? CALLTREE_ROOT :
	       tree_child(t, CALLTREE_ROOT, label, (struct place_in){ leaf, HEAP_NONE, 0 });
}

uint32_t tree_down(struct calltree *t, const struct site *site)
{
	const struct stack_node *nodes = t->heap->stacks.nodes.items;
	VECTOR(uint32_t) path = { 0 };
	uint32_t node = site->stack, at;

	if (site->stack == HEAP_NONE)
		return below_root(t, tree_label_of_op(t, site), HEAP_NONE);
	of_reserve(t);
	for (; node >= STACK_FIRST && !t->of.items[node]; node = nodes[node].parent)
		vector_push(&path, node);
	at = node >= STACK_FIRST ? t->of.items[node] : below_root(t, tree_label_of_cut(t, node), HEAP_NONE);
	while (path.count-- > 0) {
		struct place_in in = { .leaf = site->stack, .frame = path.items[path.count] };
		const struct place_labels labels = *tree_place(t, nodes[in.frame].frame);

		for (uint32_t i = labels.count; i-- > 0;) {
			in.part = (uint16_t)i;
			at = tree_child(t, at, t->label_ids.items[labels.first + i], in);
		}
		t->of.items[in.frame] = at;
	}
	vector_release(&path);
	return at;
}

/* It begins with the call site's first frame worth showing. */
struct tree_way tree_way_of(struct calltree *t, const struct site *site)
{
	struct tree_way way = { .leaf = site->stack, .before = HEAP_NONE, .node = 0 };

	if (site->stack == HEAP_NONE) {
		if (t->kind == CALLTREE_MODULES)
			way.before = tree_label_of_module(t, 0);
		else
			way.before = tree_label_of_op(t, site);
		way.ended = true;
		return way;
	}
	way.node = stack_first_user_node(t->heap, site->stack, &way.part);
	if (t->kind == CALLTREE_MODULES)
		way.before = tree_label_of_module(t, way.node);
	return way;
}

uint32_t tree_way_next(struct calltree *t, struct tree_way *way, struct place_in *in)
{
	uint32_t label = way->before;
	const struct place_labels *labels;

	*in = (struct place_in){ way->leaf, HEAP_NONE, 0 };
	if (label != HEAP_NONE) {
		way->before = HEAP_NONE;
		return label;
	}
	if (way->ended)
		return HEAP_NONE;
	if (way->node < STACK_FIRST) {
		way->ended = true;
		return tree_label_of_cut(t, way->node);
	}
	labels = tree_place(t, t->heap->stacks.nodes.items[way->node].frame);
	*in = (struct place_in){ way->leaf, way->node, (uint16_t)way->part };
	label = t->label_ids.items[labels->first + (way->part < labels->count ? way->part : 0)];
	if (++way->part >= labels->count) {
		way->part = 0;
		way->node = t->heap->stacks.nodes.items[way->node].parent;
	}
	return label;
}
