/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees of the viewer: made when a view needs one, kept up to date while it is shown. */
#include "memview/trees.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/units.h"
#include "memview/now.h"
#include "memview/view.h"

#define STEP_GROUPS	5000u	/* between two looks at the clock */
#define PASS_AGAIN_MS	250u	/* from one pass over new data to the next */
#define SITES_AGAIN_MS	1000u
#define REST_MS		150u

static int index_of(const struct view *view)
{
	switch (view->kind) {
	case VIEW_TREE:
	case VIEW_FLAME: return TREE_DOWN;
	case VIEW_CALLERS: return TREE_UP;
	case VIEW_MODULES: return TREE_MODULES;
	default: return -1;
	}
}

struct calltree *trees_current(const struct view *view)
{
	static const enum calltree_kind kinds[TREES] = { CALLTREE_DOWN, CALLTREE_UP, CALLTREE_MODULES };
	struct trees *trees = (struct trees *)&view->trees; /* made on demand: not part of the state */
	int index = index_of(view);

	if (index < 0)
		return NULL;
	if (!trees->tree[index])
		trees->tree[index] = calltree_new(view->selection, kinds[index]);
	calltree_cost(trees->tree[index], view->cost, view->kind != VIEW_FLAME && view->order[view->kind].reverse);
	return trees->tree[index];
}

void trees_release(struct view *view)
{
	for (int i = 0; i < TREES; i++) {
		calltree_free(view->trees.tree[i]);
		view->trees.tree[i] = NULL;
	}
	vector_release(&view->trees.boxes);
	view->trees.sites_tree = NULL;
	view->trees.flame_top = 0;
	view->trees.passed = 0;
}

uint32_t trees_node(const struct view *view)
{
	struct calltree *t = trees_current(view);
	uint32_t node = calltree_pinned(t, view->kind == VIEW_FLAME ? CALLTREE_FLAME : CALLTREE_CURSOR);

	return node < calltree_count(t) ? node : CALLTREE_ROOT;
}

uint64_t trees_due(const struct view *view)
{
	struct calltree *t = trees_current(view);
	bool hurry;

	if (!t || !calltree_wants(t, &hurry))
		return UINT64_MAX;
	return hurry ? 0 : view->trees.passed + PASS_AGAIN_MS;
}

bool trees_step(struct view *view)
{
	struct calltree *t = trees_current(view);
	uint64_t generation;
	bool done, hurry;

	if (now_ms() < trees_due(view))
		return true;
	generation = calltree_generation(t);
	done = calltree_step(t, STEP_GROUPS);
	if (generation != calltree_generation(t)) {
		view->trees.passed = now_ms();
		view->redraw = true;
	}
	/* What came meanwhile can wait. */
	return done || (calltree_wants(t, &hurry) && !hurry);
}

uint64_t trees_sites_due(const struct view *view)
{
	const struct trees *trees = &view->trees;
	struct calltree *t = trees_current(view);
	uint64_t rested = view->moved + REST_MS, again = view->scanned + SITES_AGAIN_MS;

	if (!t)
		return UINT64_MAX;
	if (trees->sites_tree != t || trees->sites_of != trees_node(view))
		return rested;
	if (trees->sites_generation == calltree_generation(t))
		return UINT64_MAX;
	return rested > again ? rested : again;
}

void trees_find_sites(struct view *view)
{
	struct trees *trees = &view->trees;
	struct calltree *t = trees_current(view);

	trees->sites_tree = t;
	trees->sites_of = trees_node(view);
	trees->sites_generation = calltree_generation(t);
	trees->site_count = calltree_top_sites(t, trees->sites_of, trees->sites, TREE_SITES);
}

const char *trees_share(char *out, size_t size, uint64_t part, uint64_t whole)
{
	snprintf(out, size, "%.1f %%", whole ? (double)part * 100.0 / (double)whole : 0.0);
	return out;
}

const char *trees_amount(const struct view *view, char *out, size_t size, enum cost cost, uint64_t amount)
{
	char text[UNITS_TEXT_MAX];
	struct heap_status status;

	heap_status(view->heap, &status);
	if (cost_is_bytes(cost))
		format_bytes(text, sizeof(text), amount);
	else
		format_count(text, sizeof(text), amount);
	snprintf(out, size, "%s%s", status.sample && amount ? "~" : "", text);
	return out;
}

bool trees_sampled(const struct view *view)
{
	struct heap_status status;

	heap_status(view->heap, &status);
	return status.sample != 0;
}

const char *trees_margin(const struct view *view, char *out, size_t size, uint64_t amount, uint64_t margin)
{
	uint64_t percent = amount ? (uint64_t)((double)margin * 100.0 / (double)amount + 0.5) : 0;

	snprintf(out, size, "%s%u%%", term_unicode(view->term) ? "\u00b1" : "+-", percent < 999 ? (unsigned)percent : 999u);
	return out;
}

bool trees_time(const struct view *view, bool last, uint64_t *ns)
{
	uint64_t first_ns, last_ns;

	if (!calltree_span(trees_current(view), trees_node(view), &first_ns, &last_ns))
		return false;
	*ns = last ? last_ns : first_ns;
	return true;
}

void trees_open_site(struct view *view, struct calltree *tree, uint32_t node)
{
	struct calltree_site site;

	if (!calltree_top_sites(tree, node, &site, 1)) {
		view_say(view, false, "no call site is there any more");
		return;
	}
	view_set_kind(view, VIEW_SITES);
	view->site = site.site;
}
