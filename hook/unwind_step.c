/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Odd steps.  All words are read through take(), which knows what is readable. */
#include "hook/unwind_step.h"

#include <errno.h>

#include "hook/cfi.h"
#include "hook/modules.h"
#include "hook/raw.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_register.h"
#include "trace/channel.h"

#define SCAN_WORDS	256u	/* a larger frame of unknown code is not believed */
#define NEIGHBOURHOOD	((uintptr_t)1 << 20) /* code of one JIT lies together */

/* The word at `at`, if it is readable: at or above sp (below it by the red zone where the frame
 * was interrupted), inside the bounds. */
static bool take(const struct walk_state *s, uintptr_t at, uintptr_t *value)
{
	uintptr_t low = s->exact ? s->sp - CPU_RED_ZONE : s->sp;

	if (low < s->bounds.low)
		low = s->bounds.low;
	if (at < low || at > s->bounds.high - sizeof(uintptr_t) || at & 7)
		return false;
	*value = *(const uintptr_t *)at;
	return true;
}

/* A frame that has not saved it was interrupted, or its rule is wrong. */
static bool return_address(const struct walk_state *s, const struct rule *rule, uintptr_t cfa, uintptr_t *pc)
{
	if (rule->flags & RULE_RA_KEPT) {
		*pc = cpu_link(&s->cpu);
		return s->exact;
	}
	return cfa > s->sp && take(s, cfa + (uintptr_t)(intptr_t)rule->ra, pc);
}

/* Where a step begins and leads to, as far as other registers tell. */
struct registers {
	uintptr_t value[RULE_REGISTERS];
	bool known[RULE_REGISTERS];
};

/* false: one of them is lost. */
static bool find_registers(const struct walk_state *s, const struct rule *rule, struct registers *r,
			   const struct walk_frame *frames, unsigned n)
{
	for (unsigned i = 0; i < RULE_REGISTERS; i++) {
		r->known[i] = rule->reg[i] != CFI_NO_REGISTER;
		if (r->known[i] &&
		    !register_in_frame(frames, n, rule->reg[i], s->bounds.low, &r->value[i]))
			return false;
	}
	return true;
}

/* from: what the CFA is relative to. */
static uint32_t step_general(struct walk_state *s, const struct rule *rule, uintptr_t from)
{
	uintptr_t cfa = from + (uintptr_t)(intptr_t)rule->cfa;
	uintptr_t pc, fp = s->fp, base;

	if (rule->flags & RULE_DEREF && !take(s, cfa, &cfa))
		return STACK_CUT_UNREADABLE;
	base = rule->flags & RULE_FP_AT_FP ? s->fp : cfa;
	if (cfa < s->sp || cfa > s->bounds.high || !return_address(s, rule, cfa, &pc))
		return STACK_CUT_UNREADABLE;
	if (!(rule->flags & (RULE_KEEPS_FP | RULE_FP_LOST)) &&
	    !take(s, base + (uintptr_t)(intptr_t)rule->fp, &fp))
		return STACK_CUT_UNREADABLE;
	s->fp = rule->flags & RULE_FP_LOST ? 0 : fp;
	s->pc = cpu_ra(pc);
	s->sp = cfa;
	s->exact = false;
	return 0;
}

/* An interrupted longjmp, for one: all that the caller gets is in registers already. */
static uint32_t step_other(struct walk_state *s, const struct rule *rule, const struct walk_frame *frames,
			   unsigned n)
{
	uintptr_t sp, pc, fp = s->fp, from = rule->flags & RULE_FROM_FP ? s->fp : s->sp;
	struct registers r;

	if (!find_registers(s, rule, &r, frames, n))
		return STACK_CUT_UNKNOWN;
	if (r.known[RULE_REG_CFA])
		from = r.value[RULE_REG_CFA];
	if (!r.known[RULE_REG_PC] && !r.known[RULE_REG_SP] && !r.known[RULE_REG_FP])
		return step_general(s, rule, from);
	sp = from + (uintptr_t)(intptr_t)rule->cfa;
	if (!(rule->flags & (RULE_KEEPS_FP | RULE_FP_LOST)) &&
	    !take(s, (rule->flags & RULE_FP_AT_FP ? s->fp : sp) + (uintptr_t)(intptr_t)rule->fp, &fp))
		return STACK_CUT_UNREADABLE;
	if (!r.known[RULE_REG_PC] && !take(s, sp + (uintptr_t)(intptr_t)rule->ra, &pc))
		return STACK_CUT_UNREADABLE;
	if (r.known[RULE_REG_PC])
		pc = r.value[RULE_REG_PC];
	if (r.known[RULE_REG_SP])
		sp = r.value[RULE_REG_SP];
	if (!s->exact || sp < s->sp || sp > s->bounds.high || sp & 7)
		return STACK_CUT_UNREADABLE;
	if (rule->flags & RULE_FP_LOST)
		fp = r.known[RULE_REG_FP] ? r.value[RULE_REG_FP] : 0;
	s->fp = fp;
	s->pc = cpu_ra(pc);
	s->sp = sp;
	s->exact = false;
	return 0;
}

/* The kernel saved all registers above the restorer's stack pointer.  The interrupted code may
 * have run on another stack. */
static uint32_t step_signal(struct walk_state *s, const struct channel_thread *thread,
			    struct bounds_cache *cache)
{
	uintptr_t pc, sp, fp, link = 0;

	if (!take(s, s->sp + CPU_SIGNAL_PC, &pc) || !take(s, s->sp + CPU_SIGNAL_SP, &sp) ||
	    !take(s, s->sp + CPU_SIGNAL_FP, &fp) ||
	    (CPU_HAS_LINK && !take(s, s->sp + CPU_SIGNAL_LINK, &link)))
		return STACK_CUT_UNREADABLE;
	if (sp & 7)
		return STACK_CUT_UNREADABLE;
	if (sp <= s->sp || sp >= s->bounds.high)
		s->bounds = bounds_find(thread, cache, sp);
	s->pc = pc;
	s->sp = sp;
	s->fp = fp;
	cpu_set_link(&s->cpu, link);
	s->exact = true;
	return 0;
}

/* A restorer outside of all objects is known by what it returns over: a signal frame, and the interrupted
 * fp and return address repeated where fp points. */
static bool on_signal_frame(const struct walk_state *s)
{
	uintptr_t mark, fp, link, copy;

	return CPU_SIGNAL_MARK && take(s, s->sp + CPU_SIGNAL_MARK, &mark) && mark == CPU_SIGNAL_MARK_VALUE &&
	       take(s, s->sp + CPU_SIGNAL_FP, &fp) && take(s, s->fp, &copy) && copy == fp &&
	       take(s, s->sp + CPU_SIGNAL_LINK, &link) && take(s, s->fp + sizeof(fp), &copy) && copy == link;
}

/* Does `pc` follow a call? *inside: it is in an object whose code can be read. */
static bool follows_call(uintptr_t pc, bool *inside, uintptr_t *target)
{
	struct module m;
	uintptr_t first = pc - CPU_CALL_BYTES;

	*target = 0;
	*inside = modules_find(pc - 1, &m);
	if (!*inside || cfi_readable_end(&m.tables, first) < pc)
		return false;
	return cpu_is_call((const uint8_t *)first, CPU_CALL_BYTES, target);
}

/* Could this word of a frame at `pc` be a return address?  No memory of objects is read for it. */
static bool suspicious(uintptr_t value, uintptr_t pc)
{
	if (value < CHANNEL_PAGE || value >> CPU_ADDRESS_BITS)
		return false;
	return value - pc + NEIGHBOURHOOD < 2 * NEIGHBOURHOOD || modules_code(value - 1);
}

/* Can the function at `pc` have been entered by the call before the return address `ra`? */
static bool called_from(uintptr_t pc, uintptr_t ra)
{
	uintptr_t target;
	bool inside, call = follows_call(ra, &inside, &target);
	struct cfi_row row;
	struct module m;

	if (inside && !call)
		return false;
	if (!modules_find(pc, &m))
		return !target;
	return target >= m.start && target <= pc && cfi_find(&m.tables, target, &row) == -ENOENT;
}

/* The words at fp may lie anywhere in the frame of the function that saved them, so s->sp is only a lower
 * bound of what it was before.  Enough where nothing is counted from it; else the caller's own fp, if it
 * points at such words of its own, tells. */
static bool settle_sp(struct walk_state *s)
{
	struct rule scratch;
	const struct rule *r = rows_find(s->pc - 1, &scratch);
	uintptr_t sp = s->fp - (uintptr_t)(intptr_t)r->fp - (uintptr_t)(intptr_t)r->cfa, ra, target;
	bool inside;

	if (r->kind == RULE_NONE || r->kind == RULE_END || r->flags & RULE_FROM_FP)
		return true;
	if (r->kind != RULE_PLAIN || r->flags & RULE_KEEPS_FP || r->ra != r->fp + 8 || sp < s->sp ||
	    !take(s, s->fp + 8, &ra))
		return false;
	s->sp = sp;
	return follows_call(cpu_ra(ra), &inside, &target) || !inside;
}

/* Code without unwind information: the frame pointer is believed only if it cannot be another
 * function's.  A function that did not set up a frame has its return address between sp and fp, so
 * no word there may look like one; and what is said to have called it must end in a fitting call. */
static uint32_t step_frame_pointer(struct walk_state *s)
{
	uintptr_t pc, fp, value;

	if (s->fp < s->sp || (s->fp - s->sp) / 8 > SCAN_WORDS || !take(s, s->fp, &fp) ||
	    !take(s, s->fp + 8, &pc))
		return STACK_CUT_UNKNOWN;
	pc = cpu_ra(pc);
	if (!pc || (pc - 1) >> CPU_ADDRESS_BITS)
		return STACK_CUT_UNKNOWN;
	for (uintptr_t at = s->sp; at < s->fp; at += 8)
		if (!take(s, at, &value) || suspicious(value, s->pc))
			return STACK_CUT_UNKNOWN;
	if (!called_from(s->pc, pc))
		return STACK_CUT_UNKNOWN;
	s->sp = s->fp + 16;
	s->fp = fp;
	s->pc = pc;
	s->exact = false;
	return CPU_RECORD_ENDS_FRAME || settle_sp(s) ? 0 : STACK_CUT_UNKNOWN;
}

uint32_t step_special(struct walk_state *s, const struct rule *rule,
		      const struct channel_thread *thread, struct bounds_cache *cache,
		      const struct walk_frame *frames, unsigned n)
{
	switch (rule->kind) {
	case RULE_PLAIN:
	case RULE_GENERAL:
		return step_general(s, rule, rule->flags & RULE_FROM_FP ? s->fp : s->sp);
	case RULE_OTHER:
		return step_other(s, rule, frames, n);
	case RULE_SIGNAL:
		return step_signal(s, thread, cache);
	case RULE_END:
		return STACK_COMPLETE;
	default:
		return on_signal_frame(s) ? step_signal(s, thread, cache) : step_frame_pointer(s);
	}
}
