/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unwinder's debug mode, in a hook of its own (tests/oracle/memtrack.so): every stack is walked
 * again without the newest one and by rules made anew, what the depot holds of it is read back, and
 * a difference is written to stderr and ends the program (ud2).  Costs the usual hook nothing. */
#ifndef HOOK_VERIFY_H
#define HOOK_VERIFY_H

#include <stdint.h>

struct channel_header;
struct channel_region;
struct channel_thread;
struct walk_state;

#ifdef HOOK_VERIFY

/* With unwind_init, also in a fork child. */
void verify_init(const struct channel_header *header, struct channel_region *region);

/* The walk from *start, of at most depth frames, gave `id` (not 0).  Without bounds in it: on the
 * thread's own stack. */
void verify_capture(const struct channel_thread *thread, const struct walk_state *start, unsigned depth,
		    uint32_t id);

#else

static inline void verify_init(const struct channel_header *header, struct channel_region *region)
{
	(void)header;
	(void)region;
}

static inline void verify_capture(const struct channel_thread *thread, const struct walk_state *start,
				  unsigned depth, uint32_t id)
{
	(void)thread;
	(void)start;
	(void)depth;
	(void)id;
}

#endif

#endif
