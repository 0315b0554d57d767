/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: the frame pointer, below the return address that the call pushed.  See hook/caller.h.
 *
 * Whatever the caller calls next overwrites that word, so it tells whether the wrapper still runs. */
#ifndef HOOK_CALLER_X86_64_H
#define HOOK_CALLER_X86_64_H

#include <stdbool.h>
#include <stdint.h>

struct caller {
	uintptr_t *frame;	/* the saved frame pointer, then the return address */
};

#define CALLER() ((struct caller){ (uintptr_t *)__builtin_frame_address(0) })

static inline uintptr_t caller_pc(struct caller c)
{
	return c.frame[1];
}

static inline uintptr_t caller_fp(struct caller c)
{
	return c.frame[0];
}

static inline uintptr_t caller_sp(struct caller c)
{
	return (uintptr_t)(c.frame + 2);
}

static inline uintptr_t caller_place(struct caller c)
{
	return (uintptr_t)c.frame;
}

static inline uintptr_t caller_mark(struct caller c)
{
	return c.frame[1];
}

static inline bool caller_runs(uintptr_t place, uintptr_t mark, struct caller inner, uintptr_t low,
			       uintptr_t high)
{
	(void)inner;
	(void)low;
	(void)high;
	return ((const uintptr_t *)place)[1] == mark;
}

#endif
