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

/* All of the checks up to `end`, without a branch for each. */
static bool all_hold(const struct chain_check *c, const struct chain_check *end)
{
	uintptr_t bad = 0;

	for (; end - c >= 4; c += 4)
		bad |= differs(c) | differs(c + 1) | differs(c + 2) | differs(c + 3);
	for (; c < end; c++)
		bad |= differs(c);
	return !bad;
}

static __attribute__((noinline)) void cut(struct chain *c)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < c->valid; i++) {
		while (good < c->frames[i].checks &&
		       *(const uintptr_t *)c->checks[good].at == c->checks[good].value)
			good++;
		if (good < c->frames[i].checks) {
			c->valid = i;
			return;
		}
	}
}

bool chain_holds(struct chain *c, const struct chain_frame *f, uintptr_t fp, uintptr_t high)
{
	uint32_t index = (uint32_t)(f - c->frames);

	if (index >= c->valid || (f->live && f->fp != fp) || c->high > high)
		return false;
	if (likely(all_hold(c->checks, c->checks + f->checks)))
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

/* The same for a plain rule, without a branch. */
static inline struct chain_check *plain_step(struct chain_check *check, const struct rule *r,
					     const struct outside *o)
{
	bool reloads = !(r->flags & RULE_KEEPS_FP);

	uintptr_t at = cpu_ra_at(o->sp, r->ra);

	check[0] = (struct chain_check){ at, cpu_ra_word(at, o->pc) };
	check[1] = (struct chain_check){ o->sp + (uintptr_t)(intptr_t)r->fp, o->fp };
	return check + 1 + (o->live & reloads);
}

/* Does the walk from a frame on hang on its fp? */
static inline bool hangs_on_fp(unsigned flags, bool outside_does)
{
	return (flags & (RULE_FROM_FP | RULE_FP_AT_FP)) != 0 || (flags & RULE_KEEPS_FP && outside_does);
}

/* Fills in frames[at ..] of the chain for n that were walked, all but ids and the paths that the first
 * `same` have already; gets their index slots on their way.  Up to where the chain is valid. */
static uint32_t describe(struct chain *c, uint32_t at, const struct walk_frame *w, unsigned n,
			 unsigned same, struct outside o, uint64_t path)
{
	struct chain_check *check = at ? c->checks + c->frames[at - 1].checks : c->checks;
	struct chain_check *limit = c->checks + CHAIN_CHECKS_MAX - 3;
	struct depot_level level = depot_level();
	bool valid = at ? c->valid >= at : c->root == STACK_COMPLETE;
	uint32_t valid_to = at;

	for (w += n; n--; at++) {
		struct chain_frame *f = &c->frames[at];
		const struct rule *r = (--w)->rule;
		unsigned flags = r ? r->flags : RULE_SPECIAL;

		path = same ? f->path : depot_path(path, w->frame);
		same -= same != 0;
		depot_fetch(level, path);
		if (likely(valid)) {
			struct chain_check *next = NULL;

			if (likely(!(flags & RULE_SPECIAL) && at && !(w->frame & FRAME_EXACT)))
				next = plain_step(check, r, &o);
			else
				next = odd_step(check, w, &o);
			valid = next && next <= limit;
			check = valid ? next : check;
			valid_to += valid;
		}
		o.live = hangs_on_fp(flags, o.live);
		o.sp = w->sp;
		o.fp = w->fp;
		o.pc = DEPOT_PC(w->frame);
		*f = (struct chain_frame){ w->frame, o.sp, o.fp, path, f->id, (uint16_t)(check - c->checks), o.live };
		c->by_sp[o.sp / 16 % CHAIN_SPS] = (uint8_t)at;
	}
	return valid_to;
}

/* How many of the n walked frames, from the outermost, have the path of those in the chain. */
static unsigned same_path(const struct chain *c, uint32_t at, uint32_t count, const struct walk_frame *w,
			  unsigned n)
{
	unsigned same = 0;

	while (same < n && at + same < count && c->frames[at + same].frame == w[n - 1 - same].frame)
		same++;
	return same;
}

/* Sets the ids of n frames in the chain, under `caller`; how many of them could be. */
static unsigned set_ids(struct chain_frame *f, const struct walk_frame *frames, unsigned n, uint32_t caller)
{
	if (n >= WHOLE_MIN && depot_find(caller, f[n - 1].path, &frames->frame, sizeof(*frames), n, &f->id,
					 sizeof(*f)))
		return n;
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
	uint32_t count = c->root == root ? c->count : 0, valid, at;
	unsigned same, found;

	if (!n)		/* an outer part of the newest stack, all of which stays */
		return f ? f->id : root;
	same = same_path(c, kept, count, frames, n);
	c->valid = c->valid < kept ? c->valid : kept;
	c->count = kept;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (f) {
		o = (struct outside){ f->sp, f->fp, DEPOT_PC(f->frame), f->live };
	} else {
		c->root = root;
		c->high = end_sp ? end_sp : frames[n - 1].sp;
	}
	valid = describe(c, kept, frames, n, same, o, f ? f->path : root);
	at = kept + same;
	found = set_ids(&c->frames[at], frames, n - same, at ? c->frames[at - 1].id : root);
	at += found;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->count = at;
	c->valid = valid < at ? valid : at;
	return same + found == n ? c->frames[at - 1].id : 0;
}
