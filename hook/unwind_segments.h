/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inner parts of recent stacks, kept beside a thread's newest one.
 *
 *   chain      main -> loop -> parse -> ...            (unwind_chain.h)
 *                               ^ joint
 *   segments                    +-- number -> xmalloc       what allocations below the joint alternate
 *                               +-- string -> grow -> xrealloc      between
 *
 * A program that allocates from a few places in turn has a new inner part at each call.  A segment
 * has the state a walk begins in, every word that it then reads up to the joint, and the state of
 * the joint: where all of these are as they were, the walk would go the same way (the argument is the
 * chain's), so it is not made, and the chain stays as it is.  Sets of four, by (pc, sp). */
#ifndef HOOK_UNWIND_SEGMENTS_H
#define HOOK_UNWIND_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct chain;

#define SEGMENT_CHECKS	16u
#define SEGMENT_WAYS	4u
#define SEGMENT_SETS	32u
#define SEGMENT_PATIENCE 64u	/* misses after which only each sixteenth stack is looked up and kept */

struct segment {
	uintptr_t pc, sp, fp;		/* where the walk begins; pc 0: free */
	uintptr_t joint_sp, joint_fp;
	uint32_t id, joint_id;
	uint32_t drops;			/* rows_drops() when it was made */
	uint32_t era;			/* segments.era */
	uint16_t kept;			/* frames of the chain up to the joint */
	uint8_t checks;
	uint8_t live;			/* SEGMENT_*: what counts of fp and joint_fp */
	uint16_t at[SEGMENT_CHECKS];	/* words above sp */
	uintptr_t values[SEGMENT_CHECKS];
};
#define SEGMENT_FP	1u
#define SEGMENT_JOINT_FP 2u

struct segments {
	uint32_t era;			/* segments of another one are void */
	uint32_t misses;		/* in a row, about: where stacks hardly repeat, few are kept */
	uint8_t next[SEGMENT_SETS];	/* way to be replaced */
	struct segment of[SEGMENT_SETS][SEGMENT_WAYS];
};

/* Is this stack worth a look? */
static inline bool segments_try(const struct segments *s)
{
	return s->misses < SEGMENT_PATIENCE || s->misses % 16 == 0;
}

/* The id of the stack of a walk that begins in this state, readable up to `high`, when a segment and
 * the chain have it; else 0. */
uint32_t segments_find(struct segments *s, struct chain *c, uintptr_t pc, uintptr_t sp, uintptr_t fp,
		       uintptr_t high);

/* The chain has just been extended beyond its first `kept` frames: keeps what is new. */
void segments_keep(struct segments *s, const struct chain *c, uint32_t kept);

static inline void segments_clear(struct segments *s)
{
	s->era++;
}

#endif
