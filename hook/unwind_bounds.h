/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What memory around a stack pointer is proven to be readable. */
#ifndef HOOK_UNWIND_BOUNDS_H
#define HOOK_UNWIND_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct channel_region;
struct channel_thread;

/* [low, high) is readable as long as the code that runs on this stack keeps it so. */
struct stack_bounds {
	uintptr_t low, high;
	bool known;		/* a whole stack or range; else only the page of the stack pointer */
};

/* A thread's memory of the last published range it ran on. */
struct bounds_cache {
	uintptr_t low, high;
	uint32_t seq, forgets;
};

void bounds_init(struct channel_region *region);

/* The thread's own stack, the main stack, a range that the launcher published, or else the page
 * that holds sp: then the launcher is asked to look. */
struct stack_bounds bounds_find(const struct channel_thread *thread, struct bounds_cache *cache,
				uintptr_t sp);

/* Moves whenever what bounds_find says of a stack that is not the thread's own may change. */
uint64_t bounds_changes(void);

/* Takes published ranges that touch [start, end) out of use. Results that the launcher is just
 * preparing (ranges_seq is odd) are distrusted as a whole, and it is asked again. */
void bounds_forget(uintptr_t start, uintptr_t end);

#endif
