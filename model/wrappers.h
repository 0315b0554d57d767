/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose call site is a stack?  That of the first function, from the innermost on, that does not
 * just pass an allocation on: neither a library's nor a wrapper of malloc.  Wrappers are told by
 * well-known names, and without a name by how they are used: many functions call them, on a large
 * share of all allocations, and they always get to the allocator in the same few ways.
 *
 * For the files of model/ alone. */
#ifndef MODEL_WRAPPERS_H
#define MODEL_WRAPPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"

struct heap;
struct learner;

enum place_role { PLACE_UNKNOWN, PLACE_USER, PLACE_LIBRARY, PLACE_WRAPPER };

struct wrappers {
	VECTOR(uint8_t) roles;		/* by place: what names tell */
	uint64_t roles_symbols;		/* the generation of symbols they hold for */
	VECTOR(bool) learnt;		/* by place: its use tells that it is a wrapper */
	VECTOR(uint32_t) functions;	/* by place: 0 not asked yet */
	struct map function_ids;
	VECTOR(uint32_t) callers;	/* by site: wrappers_caller() of its stack */
	uint64_t symbols;		/* when all that was learnt */
	size_t sites;
	bool ended;
	uint64_t generation;		/* moves when something was learnt */
	bool in_steps;			/* by stack_learn_step() alone, and by who calls wrappers_step() */
	struct learner *learner;	/* under way, or NULL */
};

/* Look at how all sites are used, if anything changed since the last time. */
void wrappers_learn(struct heap *heap);
/* At most about max sites' worth of it; true when a look at all there were came to its end. */
bool wrappers_step(struct heap *heap, size_t max);
/* The whole of it, when it is worth it: at the end, and when there are twice as many sites.  Nothing
 * when somebody does it in steps (stack_learn_step()). */
void wrappers_follow(struct heap *heap);
void wrappers_release(struct wrappers *w);

/* The node of a stack that called the wrappers; the innermost when they are all there is. */
uint32_t wrappers_caller(struct heap *heap, uint32_t stack);
/* What a place is, names and use together. */
enum place_role wrappers_role(struct heap *heap, uint32_t place);

/* A number for the function a place is in, the one others are inlined into; not 0.  Holds while
 * wrappers.generation does not move. */
uint32_t wrappers_function(struct heap *heap, uint32_t place);

#endif
