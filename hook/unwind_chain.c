/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reuse of a thread's newest stack: verification and renewal. */
#include "hook/unwind_chain.h"

#include "hook/depot.h"
#include "hook/raw.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define WHOLE_MIN	3u	/* new frames that are worth a look for all of them at once */

void chain_refresh(struct chain *c)
{
	uint32_t drops = rows_drops();

	if (likely(c->drops == drops))
		return;
	c->valid = 0;
	c->drops = drops;
}

/* All of checks[0 .. n), without a branch for each. */
static bool all_hold(const struct chain_check *checks, unsigned n)
{
	uintptr_t bad = 0;
	unsigned i = 0;

	for (; i + 4 <= n; i += 4) {
		bad |= *(const uintptr_t *)checks[i].at ^ checks[i].value;
		bad |= *(const uintptr_t *)checks[i + 1].at ^ checks[i + 1].value;
		bad |= *(const uintptr_t *)checks[i + 2].at ^ checks[i + 2].value;
		bad |= *(const uintptr_t *)checks[i + 3].at ^ checks[i + 3].value;
	}
	for (; i < n; i++)
		bad |= *(const uintptr_t *)checks[i].at ^ checks[i].value;
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
	if (likely(all_hold(c->checks, f->checks)))
		return true;
	cut(c);
	return false;
}

/* Frames of a chain that is being extended. */
struct extension {
	struct chain *c;
	struct chain_check *check;	/* the next one */
	uintptr_t end_sp;
	bool valid;
};

static void add_check(struct extension *e, uintptr_t at, uintptr_t value)
{
	*e->check++ = (struct chain_check){ at, value };
}

/* The words that a step read; what it led to is the caller in the chain, or behind the outermost
 * frame a zero return address, after which sp was end_sp.  0: the walk cannot be taken up here.
 * Else 1, or 2 when the walk from `w` on hangs on its fp. */
static __attribute__((noinline)) int odd_step(struct extension *e, const struct walk_frame *w,
					      const struct chain_frame *caller)
{
	const struct rule *r = w->rule;
	uintptr_t cfa = caller ? caller->sp : e->end_sp;
	bool live = caller && caller->live;

	if (!r || w->frame & FRAME_EXACT)
		return 0;
	if (r->kind == RULE_END)	/* reads nothing */
		return !caller;
	if ((r->kind != RULE_PLAIN && r->kind != RULE_GENERAL) || !cfa)
		return 0;
	if (r->flags & RULE_DEREF)
		add_check(e, (r->flags & RULE_FROM_FP ? w->fp : w->sp) + (uintptr_t)(intptr_t)r->cfa, cfa);
	add_check(e, cfa + (uintptr_t)(intptr_t)r->ra, caller ? DEPOT_PC(caller->frame) : 0);
	if (live && !(r->flags & (RULE_KEEPS_FP | RULE_FP_LOST)))
		add_check(e, (r->flags & RULE_FP_AT_FP ? w->fp : cfa) + (uintptr_t)(intptr_t)r->fp, caller->fp);
	return r->flags & (RULE_FROM_FP | RULE_FP_AT_FP) || (r->flags & RULE_KEEPS_FP && live) ? 2 : 1;
}

/* The same for a plain rule under a caller, without a branch. */
static inline int plain_step(struct extension *e, const struct rule *r, const struct chain_frame *caller)
{
	bool keeps = r->flags & RULE_KEEPS_FP, from_fp = r->flags & RULE_FROM_FP, live = caller->live;

	e->check[0] = (struct chain_check){ caller->sp + (uintptr_t)CPU_RA_OFFSET, DEPOT_PC(caller->frame) };
	e->check[1] = (struct chain_check){ caller->sp + (uintptr_t)(intptr_t)r->fp, caller->fp };
	e->check += 1 + (live & !keeps);
	return 1 + (from_fp | (live & keeps));
}

/* Fills in the chain's frames for n that were walked, all but ids and what the first `same` had
 * already; gets their index slots on their way.  How many may be taken up again. */
static uint32_t describe(struct extension *e, uint32_t at, const struct walk_frame *w, unsigned n,
			 unsigned same, uint64_t path)
{
	struct depot_level level = depot_level();
	struct chain_check *limit = e->c->checks + CHAIN_CHECKS_MAX - 3;
	struct chain_frame *f = &e->c->frames[at], *caller = at ? f - 1 : NULL;
	uint32_t valid = at;

	for (w += n; n--; caller = f++, at++) {
		const struct rule *r = (--w)->rule;
		int step = 0;

		f->sp = w->sp;
		f->fp = w->fp;
		e->c->by_sp[w->sp / 16 % CHAIN_SPS] = (uint8_t)at;
		if (same) {
			same--;
			path = f->path;
		} else {
			path = depot_path(path, w->frame);
			f->path = path;
			depot_fetch(level, path);
		}
		f->frame = w->frame;
		if (likely(e->valid && e->check <= limit)) {
			if (likely(r && !(r->flags & RULE_SPECIAL) && caller && !(w->frame & FRAME_EXACT)))
				step = plain_step(e, r, caller);
			else
				step = odd_step(e, w, caller);
		}
		e->valid = step != 0;
		valid += e->valid;
		f->live = step == 2;
		f->checks = (uint16_t)(e->check - e->c->checks);
	}
	return valid;
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
	struct chain_frame *outer = kept ? &c->frames[kept - 1] : NULL;
	struct extension e = { c, c->checks + (outer ? outer->checks : 0), end_sp, root == STACK_COMPLETE };
	uint32_t count = c->root == root ? c->count : 0, valid, at;
	unsigned same, found;

	if (!n)		/* an outer part of the newest stack, all of which stays */
		return outer ? outer->id : root;
	same = same_path(c, kept, count, frames, n);
	c->valid = c->valid < kept ? c->valid : kept;
	c->count = kept;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!kept) {
		c->root = root;
		c->high = end_sp ? end_sp : frames[n - 1].sp;
	}
	valid = describe(&e, kept, frames, n, same, outer ? outer->path : root);
	at = kept + same;
	found = set_ids(&c->frames[at], frames, n - same, at ? c->frames[at - 1].id : root);
	at += found;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->count = at;
	c->valid = valid < at ? valid : at;
	return same + found == n ? c->frames[at - 1].id : 0;
}
