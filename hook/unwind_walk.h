/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks a stack from the inside to the outside. */
#ifndef HOOK_UNWIND_WALK_H
#define HOOK_UNWIND_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/unwind_bounds.h"
#include "hook/unwind_cpu.h"

struct chain;
struct channel_thread;
struct walk_frame;

#define FRAME_EXACT	(1ull << 63)	/* in a frame of a walk: its pc was interrupted, not called from */

struct walk_state {
	uintptr_t pc, sp, fp;
	bool exact;
	struct stack_bounds bounds;
	struct cpu_state cpu;		/* of an exact one */
};

struct walk_result {
	unsigned n;			/* frames that were walked */
	uint32_t kept;			/* and so many outer ones are the chain's */
	uint32_t root;			/* how it ended (enum stack_root) */
	uintptr_t end_sp;		/* sp behind a zero return address, else 0 */
};

/* Walks at most depth frames from a return address (start->exact is false), innermost first, until the end or a frame of the chain from which the
 * rest is known.  Reads nothing outside of state->bounds and what bounds_find says of the stacks it
 * is led to. */
struct walk_result walk_stack(const struct walk_state *start, const struct channel_thread *thread,
			      struct bounds_cache *cache, struct chain *chain, struct walk_frame *frames,
			      unsigned depth);

#endif
