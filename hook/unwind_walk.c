/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk's hot loop.
 *
 * Per frame: one look-up of the pc's rule, then arithmetic and two loads.  State lives in scalar
 * locals (their addresses never escape) and is copied into a struct only for odd steps, and the
 * interrupted frames of signals never come here.
 * Every step moves the stack pointer up inside one proven range, so a walk ends. */
#include "hook/unwind_walk.h"

#include "hook/raw.h"
#include "hook/rows.h"
#include "hook/unwind_chain.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_step.h"
#include "trace/channel.h"

static inline uintptr_t word(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

/* Where a walk stands, for its odd steps. */
struct walk {
	struct walk_state s;
	const struct channel_thread *thread;
	struct bounds_cache *cache;
	struct walk_frame *frames, *w, *end;	/* w: the next one to store */
};

/* Stores the frame at walk->s and goes to its caller, by way of any interrupted frames.  0, or the
 * enum stack_root that the walk ends with. */
static __attribute__((noinline)) uint32_t walk_odd(struct walk *walk, const struct rule *rule)
{
	struct walk_state *s = &walk->s;
	struct rule scratch;
	uint32_t root;

	do {
		uintptr_t at = s->pc - !s->exact;

		if (at >> CPU_ADDRESS_BITS)
			return STACK_CUT_UNKNOWN;
		if (walk->w == walk->end)
			return STACK_CUT_DEPTH;
		if (!rule || rule->kind == RULE_MISS)
			rule = rows_find(at, &scratch);
		*walk->w++ = (struct walk_frame){ s->pc | rule->frame | (s->exact ? FRAME_EXACT : 0), s->sp,
						  s->fp, rule == &scratch ? NULL : rule };
		root = step_special(s, rule, walk->thread, walk->cache, walk->frames,
				    (unsigned)(walk->w - walk->frames));
		rule = NULL;
	} while (!root && s->exact);
	return root;
}

struct walk_result walk_stack(const struct walk_state *start, const struct channel_thread *thread,
			      struct bounds_cache *cache, struct chain *chain, struct walk_frame *frames,
			      unsigned depth)
{
	struct walk walk = { *start, thread, cache, frames, frames, frames + depth };
	struct walk_frame *w = frames, *end = frames + depth;
	uintptr_t pc = start->pc, sp = start->sp, fp = start->fp, high = start->bounds.high;
	struct rows rows = rows_current();
	struct walk_result result = { 0 };

	for (;;) {
		uint32_t guess = chain_guess(chain, sp, pc);
		const struct rule *rule;
		uintptr_t cfa, saved, old;

		if (unlikely(guess != CHAIN_NONE) && guess < end - w && chain_holds(chain, guess, fp, high)) {
			result.kept = guess + 1;
			result.root = chain->root;
			break;
		}
		if (unlikely((pc - 1) >> CPU_ADDRESS_BITS)) {
			result.root = pc ? STACK_CUT_UNKNOWN : STACK_COMPLETE;
			result.end_sp = pc ? 0 : sp;
			break;
		}
		if (unlikely(w == end)) {
			result.root = STACK_CUT_DEPTH;
			break;
		}
		rule = rows_get(rows, pc - 1);
		if (unlikely(!rule || rule->flags & RULE_SPECIAL)) {
			walk.s.pc = pc;
			walk.s.sp = sp;
			walk.s.fp = fp;
			walk.w = w;
			result.root = walk_odd(&walk, rule);
			w = walk.w;
			if (result.root)
				break;
			pc = walk.s.pc;
			sp = walk.s.sp;
			fp = walk.s.fp;
			high = walk.s.bounds.high;
			rows = rows_current();
			continue;
		}
		w->frame = pc | rule->frame;
		w->sp = sp;
		w->fp = fp;
		w->rule = rule;
		w++;
		cfa = (rule->flags & RULE_FROM_FP ? fp : sp) + (uintptr_t)(intptr_t)rule->cfa;
		saved = cfa + (uintptr_t)(intptr_t)rule->fp;
		/* saved is the lower one by 8 to 32768 bytes (rows_make.c). */
		if (unlikely(saved - sp >= high - sp || cfa > high)) {
			result.root = STACK_CUT_UNREADABLE;
			break;
		}
		old = word(saved);
		fp = rule->flags & RULE_KEEPS_FP ? fp : old;
		pc = cpu_ra(word(cpu_ra_at(cfa, rule->ra)));
		sp = cfa;
	}
	result.n = (unsigned)(w - frames);
	return result;
}
