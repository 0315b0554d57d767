/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks a stack from the inside to the outside. */
#ifndef HOOK_UNWIND_WALK_H
#define HOOK_UNWIND_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/unwind_bounds.h"

struct channel_thread;

#define FRAME_EXACT	(1ull << 63)	/* in a frame of a walk: its pc was interrupted, not called from */

struct walk_state {
	uintptr_t pc, sp, fp;
	bool exact;
	struct stack_bounds bounds;
};

/* Stores at most depth frames, innermost first: pc | epoch << 48 | FRAME_EXACT.  Returns how many;
 * *root: how the walk ended (enum stack_root).  Reads nothing outside of state->bounds and what
 * bounds_find says of the stacks it is led to. */
unsigned walk_stack(const struct walk_state *start, const struct channel_thread *thread,
		    struct bounds_cache *cache, uint64_t *frames, unsigned depth, uint32_t *root);

#endif
