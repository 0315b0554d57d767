/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A selection as a tree of functions, each with the sums of all that was allocated below it.
 *
 *	t = calltree_new(selection, CALLTREE_DOWN);
 *	each turn of the loop:  select_step(...);  calltree_step(t, 20000);  draw rows
 *
 * The selection must keep its groups (select_groups()).  The sums of a tree are those of one moment,
 * so that a node is exactly the sum of its children and of what was allocated by itself; they
 * follow the selection from one pass over its groups to the next.
 *
 * Nodes are numbers.  They stay what they are while data, filter, cost and folds change; when symbols
 * arrive the tree is made anew, and only folds and pins (below) are taken over. */
#ifndef MODEL_CALLTREE_H
#define MODEL_CALLTREE_H

#include "model/select.h"
#include "model/stacks.h"

struct buffer;
struct calltree;

enum calltree_kind {
	CALLTREE_DOWN,		/* from the first frames of the threads inwards; all of it is made */
	CALLTREE_UP,		/* from the call sites (model/stacks.h) outwards; made as it is unfolded */
	CALLTREE_MODULES,	/* the same below the modules of the call sites */
};

#define CALLTREE_ROOT	0u	/* of all; it is there from the start */

struct calltree *calltree_new(struct selection *selection, enum calltree_kind kind);
void calltree_free(struct calltree *tree);

/* Do about max groups' worth of work.  Returns true when the tree shows the selection as it is. */
bool calltree_step(struct calltree *tree, size_t max);

/* Would calltree_step() have something to do?  hurry: because of what the user asked for, or a pass
 * that is under way, not because of new data. */
bool calltree_wants(const struct calltree *tree, bool *hurry);

/* Moves when rows, sums or names changed. */
uint64_t calltree_generation(const struct calltree *tree);

/* By what nodes are compared; without any of it they are not shown. */
void calltree_cost(struct calltree *tree, enum cost cost, bool reverse);

/* The sums of a node, and what of them is of no child. */
void calltree_amounts(const struct calltree *tree, uint32_t node, struct amounts *out);
void calltree_self(const struct calltree *tree, uint32_t node, struct amounts *out);
uint64_t calltree_cost_of(const struct calltree *tree, uint32_t node);

uint32_t calltree_parent(const struct calltree *tree, uint32_t node);	/* of the root: itself */
unsigned calltree_depth(const struct calltree *tree, uint32_t node);
/* HEAP_NONE behind the last.  Highest cost first; children without any are left out. */
uint32_t calltree_first_child(struct calltree *tree, uint32_t node);
uint32_t calltree_next_sibling(struct calltree *tree, uint32_t node);
size_t calltree_count(const struct calltree *tree);

/* Append what it is called: as stack_frame_print(), or "malloc <=64 B" without a stack. */
void calltree_name(const struct calltree *tree, uint32_t node, bool lines, struct buffer *out);
/* The frame it stands for: false when it is none.  *mixed: of several lines of that function, this
 * is one. */
bool calltree_frame(const struct calltree *tree, uint32_t node, struct stack_frame *out, bool *mixed);
/* How far the sums of a node of a sampled trace may be off, with 95 % probability; and its cost. */
void calltree_margin(const struct calltree *tree, uint32_t node, struct heap_margin *out);
uint64_t calltree_margin_of(const struct calltree *tree, uint32_t node);
/* When the first and the last below a node were allocated; false: nothing is.  Cost: the number of groups. */
bool calltree_span(struct calltree *tree, uint32_t node, uint64_t *first_ns, uint64_t *last_ns);
/* The path of its module, or NULL. */
const char *calltree_module(const struct calltree *tree, uint32_t node);

/* Folds.  A node that unfolds takes with it what is below, as long as it is one way only. */
bool calltree_is_open(const struct calltree *tree, uint32_t node);
bool calltree_has_children(const struct calltree *tree, uint32_t node);
void calltree_unfold(struct calltree *tree, uint32_t node);
void calltree_fold(struct calltree *tree, uint32_t node);
/* All of a subtree; false: it is so large that only as many nodes are as CALLTREE_UNFOLDS. */
#define CALLTREE_UNFOLDS	20000u
bool calltree_unfold_all(struct calltree *tree, uint32_t node);

/* What is unfolded below a node, in lines; the node itself is the first one unless it is the root. */
void calltree_zoom(struct calltree *tree, uint32_t node);
uint32_t calltree_zoomed(const struct calltree *tree);
struct calltree_row {
	uint32_t node;
	unsigned indent;	/* grows where ways part */
	bool only;		/* child of the row above, which is as far indented */
};
size_t calltree_row_count(const struct calltree *tree);
void calltree_row_at(const struct calltree *tree, size_t row, struct calltree_row *out);
/* SIZE_MAX: it is not in a row. */
size_t calltree_row_find(const struct calltree *tree, uint32_t node);

/* Nodes that somebody remembers: kept when the tree is made anew.  HEAP_NONE: none. */
enum calltree_pin { CALLTREE_CURSOR, CALLTREE_FLAME, CALLTREE_FLAME_ZOOM, CALLTREE_PINS };
void calltree_pin(struct calltree *tree, enum calltree_pin pin, uint32_t node);
uint32_t calltree_pinned(const struct calltree *tree, enum calltree_pin pin);

/* The call sites below a node with the highest cost, at most max; returns how many.  Cost: the number
 * of groups. */
struct calltree_site {
	uint32_t site;
	struct amounts amounts;
};
size_t calltree_top_sites(struct calltree *tree, uint32_t node, struct calltree_site *out, size_t max);

/* Text: rows as shown, and of CALLTREE_DOWN "main;work;malloc 4096" for each of the nodes that
 * allocate by themselves, as programs that draw flame graphs read it. */
void calltree_export(struct calltree *tree, size_t first, size_t count, struct buffer *out);
void calltree_export_stacks(struct calltree *tree, size_t first, size_t count, struct buffer *out);

#endif
