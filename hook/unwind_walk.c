/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk's hot loop.
 *
 * Per frame: one look-up of the pc's rule, then arithmetic and two loads.  State lives in scalar
 * locals (their addresses never escape) and is copied into a struct only for odd steps.
 * Every step moves the stack pointer up inside one proven range, so a walk ends. */
#include "hook/unwind_walk.h"

#include "hook/raw.h"
#include "hook/rows.h"
#include "hook/unwind_chain.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_step.h"
#include "trace/channel.h"

#define ADDRESS_BITS	47	/* of user space */

static inline uintptr_t word(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

struct walk_result walk_stack(const struct walk_state *start, const struct channel_thread *thread,
			      struct bounds_cache *cache, struct chain *chain, struct walk_frame *frames,
			      unsigned depth)
{
	uintptr_t pc = start->pc, sp = start->sp, fp = start->fp, at = pc - !start->exact;
	uintptr_t high = start->bounds.high;
	uint64_t exact = start->exact ? FRAME_EXACT : 0;
	struct rows rows = rows_current();
	struct walk_result result = { 0 };
	struct walk_state s = *start;
	struct rule scratch;
	unsigned n = 0;

	for (;;) {
		const struct chain_frame *guess = chain_guess(chain, sp, pc);
		const struct rule *rule;
		uintptr_t cfa, saved, old;

		if (guess && !exact && n + (guess - chain->frames) < depth &&
		    chain_holds(chain, guess, fp, high)) {
			result.kept = (uint32_t)(guess - chain->frames) + 1;
			result.root = chain->root;
			break;
		}
		if (unlikely(at >> ADDRESS_BITS)) {
			result.root = pc ? STACK_CUT_UNKNOWN : STACK_COMPLETE;
			result.end_sp = pc ? 0 : sp;
			break;
		}
		if (unlikely(n == depth)) {
			result.root = STACK_CUT_DEPTH;
			break;
		}
		rule = rows_get(rows, at);
		frames[n].sp = sp;
		frames[n].fp = fp;
		frames[n].rule = rule;
		if (unlikely(!rule || rule->flags & RULE_SPECIAL || exact)) {
			s.pc = pc;
			s.sp = sp;
			s.fp = fp;
			s.exact = exact != 0;
			if (!rule || rule->kind == RULE_MISS) {
				rule = rows_find(at, &scratch);
				rows = rows_current();
				frames[n].rule = rule == &scratch ? NULL : rule;
			}
			frames[n++].frame = pc | rule->frame | exact;
			result.root = step_special(&s, rule, thread, cache);
			if (result.root)
				break;
			pc = s.pc;
			sp = s.sp;
			fp = s.fp;
			high = s.bounds.high;
			exact = s.exact ? FRAME_EXACT : 0;
			at = pc - !s.exact;
			continue;
		}
		frames[n++].frame = pc | rule->frame;
		cfa = (rule->flags & RULE_FROM_FP ? fp : sp) + (uintptr_t)(intptr_t)rule->cfa;
		saved = cfa + (uintptr_t)(intptr_t)rule->fp;
		if (unlikely(saved < sp || cfa > high || cfa <= saved)) {
			result.root = STACK_CUT_UNREADABLE;
			break;
		}
		old = word(saved);
		fp = rule->flags & RULE_KEEPS_FP ? fp : old;
		pc = word(cfa + (uintptr_t)CPU_RA_OFFSET);
		at = pc - 1;
		sp = cfa;
	}
	result.n = n;
	return result;
}
