/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread's newest stack, kept to be used again.
 *
 * A walk is a function of its state (pc, sp, fp), of the rules of the pcs and of the memory words
 * that those rules read.  So when a new walk comes to the state of a frame of the newest stack,
 * and every word that was read from there on still holds what it held, the rest is the same: its
 * id is known, and nothing needs to be unwound.  This holds whatever the program did meanwhile
 * (alloca, exceptions, longjmp): either words are equal or a comparison fails.
 *
 *   frames[]   outermost first   { frame, sp, fp, id, checks }
 *   checks[]   words that the steps of frames [0, n) read: frames[n - 1].checks of them
 *   by_sp[]    guess of the frame that has this sp: one compare decides
 *
 * Invariants
 *  - frames[0 .. count): ids are those of the frames' path under root.
 *  - frames[0 .. valid): unwound by rules that are still in force, all on one stack; checks[] has
 *    every word they read.  fp counts only where an outer rule uses it (live).
 *  - Both hold at every moment: a signal handler may leave by longjmp. */
#ifndef HOOK_UNWIND_CHAIN_H
#define HOOK_UNWIND_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/rows.h"
#include "hook/unwind.h"

#define CHAIN_CHECKS_MAX	512u
#define CHAIN_SPS		256u
#define CHAIN_NONE		UINT32_MAX

/* A frame as a walk finds it. */
struct walk_frame {
	uint64_t frame;			/* pc | epoch << 48 | FRAME_EXACT */
	uintptr_t sp, fp;
	const struct rule *rule;	/* NULL: it was not kept */
};

struct chain_frame {
	uint64_t frame;
	uintptr_t sp, fp;
	uint64_t path;			/* depot_path */
	uint32_t id;
	uint16_t checks;
	uint16_t live;			/* bool: fp decides how the walk goes on */
};

struct chain_check {
	uintptr_t at, value;
};

struct chain {
	uint32_t count, valid;
	uint32_t root;			/* enum stack_root */
	uint32_t drops;			/* rows_drops() when it was made */
	uint32_t held;			/* checks that have been seen to hold in this capture */
	uintptr_t high;			/* end of the outermost word that was read */
	uint8_t by_sp[CHAIN_SPS];
	struct chain_frame frames[UNWIND_DEPTH_MAX];
	struct chain_check checks[CHAIN_CHECKS_MAX];
};

/* Before a capture: forgets what other rules have made. */
static inline void chain_refresh(struct chain *c)
{
	uint32_t drops = rows_drops();

	if (__builtin_expect(c->drops != drops, 0))
		c->valid = 0;
	c->drops = drops;
	c->held = 0;
}

/* The number of the valid frame whose sp and pc these are, or CHAIN_NONE. */
static inline uint32_t chain_guess(const struct chain *c, uintptr_t sp, uintptr_t pc)
{
	uint32_t index = c->by_sp[sp / 16 % CHAIN_SPS];
	const struct chain_frame *f = &c->frames[index];

	return ((f->sp ^ sp) | (f->frame ^ pc) << 16) == 0 && index < c->valid ? index : CHAIN_NONE;
}

/* Does the walk that came to this valid frame with `fp`, on a stack readable up to `high`, go on as
 * the chain did?  If not, the chain is cut where it differs. */
bool chain_holds(struct chain *c, uint32_t index, uintptr_t fp, uintptr_t high);

/* Puts the n > 0 frames of a walk (innermost first) on the first `kept` ones of the chain.  end_sp: where
 * the walk ended by a zero return address, the sp behind it; else 0.  The id of the innermost frame;
 * 0: the depot is full. */
uint32_t chain_extend(struct chain *c, uint32_t kept, const struct walk_frame *frames, unsigned n,
		      uint32_t root, uintptr_t end_sp);

#endif
