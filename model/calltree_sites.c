/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which call sites are below a node of a call tree. */
#include "model/calltree_state.h"

/* Is the node on the way of this site? */
static bool tree_passes(struct calltree *t, const struct site *site, uint32_t node)
{
	uint32_t depth = t->nodes.items[node].depth, at = CALLTREE_ROOT, label;
	struct tree_way way;
	struct place_in in;
	uint64_t child;

	if (t->kind == CALLTREE_DOWN) {
		for (at = tree_down(t, site); t->nodes.items[at].depth > depth;)
			at = t->nodes.items[at].parent;
		return at == node;
	}
	way = tree_way_of(t, site);
	while (t->nodes.items[at].depth < depth) {
		label = tree_way_next(t, &way, &in);
		if (label == HEAP_NONE || !map_get(&t->children, (uint64_t)at << 32 | label, &child))
			return false;
		at = (uint32_t)child;
	}
	return at == node;
}

size_t calltree_top_sites(struct calltree *t, uint32_t node, struct calltree_site *out, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; max && i < t->selection->groups.count; i++) {
		const struct group *g = &t->selection->groups.items[i];
		uint64_t cost = cost_of(&g->amounts, t->cost);
		size_t at = count < max ? count : max - 1;

		if (!cost || (count == max && cost <= cost_of(&out[at].amounts, t->cost)) ||
		    !tree_passes(t, &t->heap->sites.items[g->site], node))
			continue;
		for (; at > 0 && cost_of(&out[at - 1].amounts, t->cost) < cost; at--)
			out[at] = out[at - 1];
		out[at] = (struct calltree_site){ g->site, g->amounts };
		count += count < max;
	}
	for (size_t i = 0; i < count; i++) {
		struct amounts units = out[i].amounts;

		amounts_whole(t->heap, &units, &out[i].amounts);
	}
	return count;
}

bool calltree_span(struct calltree *t, uint32_t node, uint64_t *first_ns, uint64_t *last_ns)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < t->selection->groups.count; i++) {
		const struct group *g = &t->selection->groups.items[i];

		if (!g->amounts.count || (g->first >= first && g->last <= last) ||
		    !tree_passes(t, &t->heap->sites.items[g->site], node))
			continue;
		first = g->first < first ? g->first : first;
		last = g->last > last ? g->last : last;
	}
	*first_ns = heap_ns(t->heap, first == UINT64_MAX ? 0 : first);
	*last_ns = heap_ns(t->heap, last);
	return first != UINT64_MAX;
}
