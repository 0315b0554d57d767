/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How sure the sums of a call tree are, where the trace was sampled (model/weight.h). */
#include "model/calltree_state.h"

static void add(struct group_noise *noise, const struct group_noise *more)
{
	noise_add(&noise->all, &more->all, true);
	noise_add(&noise->live, &more->live, true);
	noise_add(&noise->leaked, &more->leaked, true);
	noise_add(&noise->peak, &more->peak, true);
}

void tree_noise_clear(struct calltree *t)
{
	vector_clear(&t->next_noise);
}

static struct group_noise *next_of(struct calltree *t, uint32_t node)
{
	if (node >= t->next_noise.count)
		vector_resize(&t->next_noise, t->nodes.count);
	return &t->next_noise.items[node];
}

void tree_noise_add(struct calltree *t, uint32_t node, size_t group)
{
	if (group < t->selection->group_noise.count)
		add(next_of(t, node), &t->selection->group_noise.items[group]);
}

void tree_noise_up(struct calltree *t, uint32_t node, uint32_t parent)
{
	if (node < t->next_noise.count)
		add(&t->next_noise.items[parent], &t->next_noise.items[node]);
}

void tree_noise_take(struct calltree *t)
{
	struct calltree_noise noise = t->noise;

	t->noise = t->next_noise;
	t->next_noise = noise;
}

void tree_noise_release(struct calltree *t)
{
	vector_release(&t->noise);
	vector_release(&t->next_noise);
}

void calltree_margin(const struct calltree *t, uint32_t node, struct heap_margin *out)
{
	static const struct group_noise none;
	const struct group_noise *noise = node < t->noise.count ? &t->noise.items[node] : &none;

	group_noise_margin(noise, out);
}

uint64_t calltree_margin_of(const struct calltree *t, uint32_t node)
{
	struct heap_margin m;

	calltree_margin(t, node, &m);
	switch (t->cost) {
	case COST_COUNT: return m.allocs;
	case COST_TEMPORARY: return 0;
	case COST_PEAK: return m.peak_bytes;
	case COST_LEAKED: return m.leaked_bytes;
	case COST_LIVE: return m.live_bytes;
	default: return m.alloc_bytes;
	}
}
