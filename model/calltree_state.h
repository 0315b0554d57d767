/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a call tree; for the calltree files alone.
 *
 * Invariants
 *  - A node has a higher index than its parent, so sums are passed up by going down the indexes.
 *  - sums are of one pass over the groups; next is what the pass under way has so far.  Both are in
 *    units of the books.
 *  - When names come, fresh is made beside and takes the tree's place after its first pass: what is
 *    shown is never half a tree.
 *  - of[] of a stack's node is the tree's node of its innermost function (CALLTREE_DOWN). */
#ifndef MODEL_CALLTREE_STATE_H
#define MODEL_CALLTREE_STATE_H

#include "model/calltree.h"
#include "model/select_state.h"
#include "trace/channel.h"

enum label_kind { LABEL_FRAME, LABEL_OP, LABEL_CUT, LABEL_MODULE };

/* What tells a node from its siblings: a function of a module, or an address without name. */
struct label {
	enum label_kind kind;
	const char *module, *function;	/* interned: equal ones have one address */
	uint64_t address;		/* without function: in the module, or else absolute; LABEL_OP:
					 * op << 8 | bucket; LABEL_CUT: the root of the stack */
};

struct tree_node {
	uint32_t parent, label, first, next;
	/* Where it was found first, so that it can be found again: the stack of a site, the node of it,
	 * and which of the functions inlined there, from the innermost. */
	uint32_t leaf, frame;
	uint16_t depth, part;
	bool open;
	uint8_t automatic;	/* what becomes of its children when it is unfolded */
	bool mixed;		/* other lines of the function came since */
	uint32_t more;		/* pass in which ways went on below it that are not made */
	uint32_t sorted;	/* t->order its children are sorted for */
};

/* The labels of a place, innermost function first. */
struct place_labels {
	uint32_t first, count;	/* in t->label_ids; count 0: not asked yet */
};

VECTOR_STRUCT(calltree_sums, struct amounts);
VECTOR_STRUCT(calltree_noise, struct group_noise);

struct ranked_node {
	uint64_t cost;
	uint32_t node;
};

/* What leads to a node again. */
struct remembered {
	uint32_t leaf, frame;
	uint16_t part;
	struct label label;
	uint8_t pin;		/* + 1; 0: an open node */
};

/* What a pass does: sums are set to 0, groups added to them, and those of nodes to their parents'. */
enum { PASS_NONE, PASS_CLEARS, PASS_ADDS, PASS_SUMS_UP };

enum { AUTO_NONE, AUTO_CHAIN, AUTO_ALL };

struct calltree {
	struct selection *selection;
	struct heap *heap;
	enum calltree_kind kind;
	struct calltree *fresh;			/* or NULL */

	VECTOR(struct label) labels;
	struct map label_index;			/* hash -> index */
	VECTOR(struct place_labels) places;
	VECTOR(uint32_t) label_ids;
	uint64_t symbols;			/* generation they hold for */

	VECTOR_STRUCT(tree_nodes, struct tree_node) nodes;
	struct map children;			/* parent << 32 | label -> index */
	VECTOR(uint32_t) of;
	struct calltree_sums sums, next;

	struct calltree_noise noise, next_noise; /* of a sampled trace; may be shorter */

	uint8_t passing;			/* PASS_NONE: none is under way */
	bool stale;				/* the next pass is wanted though no data came */
	uint32_t pass;
	size_t at, up;				/* group; nodes whose sums are not passed up yet */
	uint64_t learnt;			/* generation of the wrappers at the start of the pass */
	uint64_t groups_epoch, seen;		/* generation of the selection at the start of the pass */
	uint64_t generation;

	enum cost cost;
	bool reverse;
	uint32_t order;				/* moves with cost and sums */
	uint32_t pins[CALLTREE_PINS + 1];	/* the last one is the zoom */
	VECTOR(struct calltree_row) rows;
	VECTOR(uint32_t) row_of;		/* by node: row + 1 */
	VECTOR(struct ranked_node) ranked;	/* scratch */
	size_t unfolds;				/* left of those that come by themselves */
};

/* calltree_noise.c: variances go the way of the sums. */
void tree_noise_clear(struct calltree *t);
void tree_noise_add(struct calltree *t, uint32_t node, size_t group);
void tree_noise_up(struct calltree *t, uint32_t node, uint32_t parent);
void tree_noise_take(struct calltree *t);
void tree_noise_release(struct calltree *t);

/* calltree_labels.c */
const struct place_labels *tree_place(struct calltree *t, uint32_t place);
uint32_t tree_label(struct calltree *t, const struct label *label);
/* How a group's way begins or ends that no frame tells: its label, or HEAP_NONE. */
uint32_t tree_label_of_op(struct calltree *t, const struct site *site);
uint32_t tree_label_of_cut(struct calltree *t, uint32_t root);
uint32_t tree_label_of_module(struct calltree *t, uint32_t node);

/* calltree.c */
/* A child, made if it is new. */
struct place_in {
	uint32_t leaf, frame;
	uint16_t part;
};
uint32_t tree_child(struct calltree *t, uint32_t parent, uint32_t label, struct place_in in);

/* calltree_paths.c */
/* The node a site's stack leads to, made if need be: of all of it (CALLTREE_DOWN). */
uint32_t tree_down(struct calltree *t, const struct site *site);
/* A way outwards, label by label. */
struct tree_way {
	uint32_t leaf, node;		/* the stack, what of it comes next */
	uint32_t part;
	uint32_t before;		/* a label that comes first, or HEAP_NONE */
	bool ended;
};
struct tree_way tree_way_of(struct calltree *t, const struct site *site);
/* The next label, HEAP_NONE at the end. */
uint32_t tree_way_next(struct calltree *t, struct tree_way *way, struct place_in *in);

#define PIN_ZOOM	CALLTREE_PINS

/* calltree_pins.c: the same tree with the names of now, nothing summed up yet; what is unfolded and
 * pinned in one becomes so in the other. */
struct calltree *tree_renew(const struct calltree *t);
void tree_recall(struct calltree *t, const struct calltree *from);

/* calltree_rows.c */
void tree_rows(struct calltree *t);

static inline uint64_t tree_cost(const struct calltree *t, uint32_t node)
{
	return node < t->sums.count ? cost_of(&t->sums.items[node], t->cost) : 0;
}

#endif
