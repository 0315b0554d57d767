/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reuse of a thread's newest stack: verification and renewal. */
#include "hook/unwind_chain.h"

#include "hook/depot.h"
#include "hook/raw.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define WHOLE_MIN	3u	/* new frames that are worth a look for all of them at once */

static inline uintptr_t differs(const struct chain_check *c)
{
	return *(const uintptr_t *)c->at ^ c->value;
}

/* Looks at the checks up to `end`, from the outermost, that this capture has not seen yet. */
static bool all_hold(struct chain *c, uint32_t end)
{
	const struct chain_check *k = c->checks + c->held, *last = c->checks + end;

	while (last - k >= 4 && !(differs(k) | differs(k + 1) | differs(k + 2) | differs(k + 3)))
		k += 4;
	while (k < last && !differs(k))
		k++;
	c->held = (uint32_t)(k - c->checks);
	return k >= last;
}

/* Without the frames whose walk reads a word that has changed. */
static __attribute__((noinline)) void cut(struct chain *c)
{
	uint32_t valid = c->valid;

	while (valid && c->frames[valid - 1].checks > c->held)
		valid--;
	c->valid = valid;
}

bool chain_holds(struct chain *c, uint32_t index, uintptr_t fp, uintptr_t high)
{
	const struct chain_frame *f = &c->frames[index];

	if ((f->live && f->fp != fp) || c->high > high)
		return false;
	if (likely(f->checks <= c->held || all_hold(c, f->checks)))
		return true;
	cut(c);
	return false;
}

/* What a step led to: the state of the frame outside of it. */
struct outside {
	uintptr_t sp, fp, pc;		/* sp 0: nothing, it was the outermost frame; pc 0: the end */
	bool live;
};

/* Adds the words that an odd step read.  Returns where the next check goes; NULL: no walk can be taken
 * up at `w`. */
static __attribute__((noinline)) struct chain_check *odd_step(struct chain_check *check,
							      const struct walk_frame *w,
							      const struct outside *o)
{
	const struct rule *r = w->rule;

	if (!r || w->frame & ~r->frame & FRAME_EXACT)	/* it was interrupted */
		return NULL;
	if (r->kind == RULE_END)	/* reads nothing */
		return check;
	if ((r->kind != RULE_PLAIN && r->kind != RULE_GENERAL) || !o->sp)
		return NULL;
	if (r->flags & RULE_DEREF)
		*check++ = (struct chain_check){ (r->flags & RULE_FROM_FP ? w->fp : w->sp) +
						 (uintptr_t)(intptr_t)r->cfa, o->sp };
	*check = (struct chain_check){ .at = o->sp + (uintptr_t)(intptr_t)r->ra };
	check->value = cpu_ra_word(check->at, o->pc);
	check++;
	if (o->live && !(r->flags & (RULE_KEEPS_FP | RULE_FP_LOST)))
		*check++ = (struct chain_check){ (r->flags & RULE_FP_AT_FP ? w->fp : o->sp) +
						 (uintptr_t)(intptr_t)r->fp, o->fp };
	return check;
}

/* Does the walk from a frame on hang on its fp? */
static inline bool hangs_on_fp(unsigned flags, bool outside_does)
{
	return (flags & (RULE_FROM_FP | RULE_FP_AT_FP)) != 0 || (flags & RULE_KEEPS_FP && outside_does);
}

/* Fills in frames[at ..] of the chain for n that were walked, all but ids.  Up to where the chain is
 * valid.  What lies outside is in scalars whose addresses do not escape: the compiler then keeps them
 * in registers. */
static uint32_t describe(struct chain *c, uint32_t at, const struct walk_frame *w, unsigned n,
			 const struct outside *outside, uint64_t path)
{
	struct chain_check *check = at ? c->checks + c->frames[at - 1].checks : c->checks;
	struct chain_check *limit = c->checks + CHAIN_CHECKS_MAX - 3;
	uint32_t valid_to = (at ? c->valid >= at : c->root == STACK_COMPLETE) ? at + n : at, end = at + n;
	uintptr_t sp = outside->sp, fp = outside->fp, pc = outside->pc;
	struct chain_frame *f = &c->frames[at];
	bool live = outside->live;

	for (w += n; at < end; at++, f++) {
		const struct rule *r = (--w)->rule;
		unsigned flags = r ? r->flags : RULE_SPECIAL;
		uint64_t frame = w->frame;

		path = depot_path(path, frame);
		if (likely(!(flags & RULE_SPECIAL) && at && !(frame & FRAME_EXACT))) {
			uintptr_t ra = cpu_ra_at(sp, r->ra);

			check[0].at = ra;
			check[0].value = cpu_ra_word(ra, pc);
			check[1].at = sp + (uintptr_t)(intptr_t)r->fp;
			check[1].value = fp;
			check += at < valid_to ? 1 + (live & !(flags & RULE_KEEPS_FP)) : 0;
		} else if (at < valid_to) {
			struct outside o = { sp, fp, pc, live };
			struct chain_check *next = odd_step(check, w, &o);

			valid_to = next ? valid_to : at;
			check = next ? next : check;
		}
		if (unlikely(check > limit)) {
			valid_to = at < valid_to ? at : valid_to;
			check = limit;
		}
		live = hangs_on_fp(flags, live);
		sp = w->sp;
		fp = w->fp;
		pc = DEPOT_PC(frame);
		f->frame = frame;
		f->sp = sp;
		f->fp = fp;
		f->path = path;
		f->checks = (uint16_t)(check - c->checks);
		f->live = live;
		c->by_sp[sp / 16 % CHAIN_SPS] = (uint8_t)at;
	}
	return valid_to;
}

/* Sets the ids of n frames in the chain, under `caller`; how many of them could be. */
static unsigned set_ids(struct chain_frame *f, unsigned n, uint32_t caller)
{
	if (n >= WHOLE_MIN && depot_find(caller, f[n - 1].path, &f[n - 1].frame, -(ptrdiff_t)sizeof(*f), n, &f[n - 1].id))
		return n;
	for (unsigned i = 0; i < n; i++)
		depot_fetch(f[i].path);
	for (unsigned i = 0; i < n; i++, f++) {
		f->id = depot_child(caller, f->frame, f->path);
		caller = f->id;
		if (unlikely(!caller))
			return i;
	}
	return n;
}

uint32_t chain_extend(struct chain *c, uint32_t kept, const struct walk_frame *frames, unsigned n,
		      uint32_t root, uintptr_t end_sp)
{
	struct chain_frame *f = kept ? &c->frames[kept - 1] : NULL;
	struct outside o = { .sp = end_sp };
	uint32_t valid, found;

	c->valid = c->valid < kept ? c->valid : kept;
	c->count = kept;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (f) {
		o = (struct outside){ f->sp, f->fp, DEPOT_PC(f->frame), f->live };
	} else {
		c->root = root;
		c->high = end_sp ? end_sp : frames[n - 1].sp;
	}
	valid = describe(c, kept, frames, n, &o, f ? f->path : root);
	found = set_ids(&c->frames[kept], n, f ? f->id : root);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->count = kept + found;
	c->valid = valid < c->count ? valid : c->count;
	return found == n ? c->frames[c->count - 1].id : 0;
}
