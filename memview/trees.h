/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call trees behind the views call tree, callers, flame graph and modules. */
#ifndef MEMVIEW_TREES_H
#define MEMVIEW_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "model/calltree.h"

struct view;
struct detail;

enum { TREE_DOWN, TREE_UP, TREE_MODULES, TREES };
enum { TREE_SITES = 5 };	/* of the selected node, in the detail pane */

struct flame_box {
	uint32_t node;
	unsigned level;		/* 0: the node that is zoomed to */
	int from, to;		/* cells, to is not its own any more */
};

struct trees {
	struct calltree *tree[TREES];	/* NULL: not asked for yet */
	uint64_t passed;		/* ms, the end of the last pass */
	struct calltree_site sites[TREE_SITES];
	size_t site_count;
	const struct calltree *sites_tree; /* whose node sites are of, and */
	uint32_t sites_of;
	uint64_t sites_generation;
	VECTOR(struct flame_box) boxes;	/* of the flame graph as laid out last */
	unsigned flame_top;		/* first level shown */
	int flame_columns;
	bool flame_by_cost;		/* colours */
};

void trees_release(struct view *view);

/* The tree of the view that is shown, made when it is not there yet; NULL: it needs none. */
struct calltree *trees_current(const struct view *view);
/* The node under its cursor: CALLTREE_ROOT for none. */
uint32_t trees_node(const struct view *view);

/* A slice of work; true when there is none, or none that cannot wait. */
bool trees_step(struct view *view);
/* ms of the clock at which work that waits is due, and the same for what only matters when the
 * user rests; UINT64_MAX: none. */
uint64_t trees_due(const struct view *view);
uint64_t trees_sites_due(const struct view *view);
void trees_find_sites(struct view *view);

/* All about a node, for the detail pane. */
void trees_detail(struct view *view, struct detail *detail);

/* "45.2 %" of whole. */
const char *trees_share(char *out, size_t size, uint64_t part, uint64_t whole);
/* An amount of a cost: "1.2 MiB", "1,234", "~" in front in a sampled trace. */
const char *trees_amount(const struct view *view, char *out, size_t size, enum cost cost, uint64_t amount);
/* "±12%" of an amount with that margin. */
const char *trees_margin(const struct view *view, char *out, size_t size, uint64_t amount, uint64_t margin);
bool trees_sampled(const struct view *view);
/* When what is below the selected node was allocated, the first or the last of it. */
bool trees_time(const struct view *view, bool last, uint64_t *ns);
/* Goes to the call site with the highest cost below a node. */
void trees_open_site(struct view *view, struct calltree *tree, uint32_t node);

#endif
