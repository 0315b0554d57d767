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
	uint32_t checks;
	bool valid;
};

static void add_check(struct extension *e, uintptr_t at, uintptr_t value)
{
	if (e->checks == CHAIN_CHECKS_MAX)
		e->valid = false;
	else
		e->c->checks[e->checks++] = (struct chain_check){ at, value };
}

/* The words that the step from `w` to the caller read; the caller is in the chain, or it is the end
 * of the stack behind end_sp (a zero return address). */
static void add_step(struct extension *e, const struct walk_frame *w, const struct chain_frame *caller,
		     uintptr_t end_sp)
{
	const struct rule *r = w->rule;
	uintptr_t cfa = caller ? caller->sp : end_sp;
	uintptr_t pc = caller ? DEPOT_PC(caller->frame) : 0;

	if (unlikely(r->flags & RULE_DEREF))
		add_check(e, (r->flags & RULE_FROM_FP ? w->fp : w->sp) + (uintptr_t)(intptr_t)r->cfa, cfa);
	add_check(e, cfa + (uintptr_t)(intptr_t)r->ra, pc);
	if (caller && caller->live && !(r->flags & (RULE_KEEPS_FP | RULE_FP_LOST)))
		add_check(e, (r->flags & RULE_FP_AT_FP ? w->fp : cfa) + (uintptr_t)(intptr_t)r->fp, caller->fp);
}

/* Does the walk behind frame `w` hang on its fp? */
static bool is_live(const struct rule *r, const struct chain_frame *caller)
{
	if (r->flags & (RULE_FROM_FP | RULE_FP_AT_FP))
		return true;
	return r->flags & RULE_KEEPS_FP && caller && caller->live;
}

static void describe(struct extension *e, struct chain_frame *f, const struct walk_frame *w,
		     const struct chain_frame *caller, uintptr_t end_sp)
{
	const struct rule *r = w->rule;

	f->frame = w->frame;
	f->sp = w->sp;
	f->fp = w->fp;
	f->live = 0;
	if (!r || w->frame & FRAME_EXACT || (r->kind != RULE_PLAIN && r->kind != RULE_GENERAL)) {
		/* A rule that ends the stack reads nothing. */
		e->valid = e->valid && r && !caller && r->kind == RULE_END && !(w->frame & FRAME_EXACT);
	} else if (e->valid) {
		f->live = is_live(r, caller);
		if (caller || end_sp)
			add_step(e, w, caller, end_sp);
		else
			e->valid = false;
	}
	f->checks = (uint16_t)e->checks;
}

/* Paths of the new frames at c->frames[at ..]; how many outer ones are as they were, ids included. */
static unsigned set_paths(struct chain *c, uint32_t at, uint32_t count, const struct walk_frame *frames,
			  unsigned n, uint32_t root)
{
	uint64_t path = at ? c->frames[at - 1].path : root;
	unsigned same = 0;

	while (same < n && at < count && c->frames[at].frame == frames[n - 1 - same].frame) {
		path = c->frames[at++].path;
		same++;
	}
	for (unsigned i = n - same; i-- > 0; at++) {
		path = depot_path(path, frames[i].frame);
		c->frames[at].path = path;
		depot_fetch(path);
	}
	return same;
}

/* Tries to find the n frames under `caller` by the innermost one; sets their ids. */
static bool find_whole(struct chain_frame *f, const struct walk_frame *frames, unsigned n, uint32_t caller)
{
	uint32_t id = depot_guess(frames[0].frame, f[n - 1].path);

	for (unsigned i = 0; i < n && id; i++) {
		f[n - 1 - i].id = id;
		id = depot_parent(id, frames[i].frame);
	}
	return id == caller;
}

/* Sets the ids of the n frames under `caller`, outermost first; how many of them could be. */
static unsigned find_each(struct chain_frame *f, const struct walk_frame *frames, unsigned n, uint32_t caller)
{
	for (unsigned i = 0; i < n; i++) {
		caller = depot_child(caller, frames[n - 1 - i].frame, f[i].path);
		f[i].id = caller;
		if (unlikely(!caller))
			return i;
	}
	return n;
}

uint32_t chain_extend(struct chain *c, uint32_t kept, const struct walk_frame *frames, unsigned n,
		      uint32_t root, uintptr_t end_sp)
{
	struct extension e = { c, kept ? c->frames[kept - 1].checks : 0, root == STACK_COMPLETE };
	uint32_t count = c->root == root ? c->count : 0, at = kept, valid = kept, id;
	unsigned same, found, left;

	if (!n)		/* an outer part of the newest stack, all of which stays */
		return kept ? c->frames[kept - 1].id : root;
	c->valid = c->valid < kept ? c->valid : kept;
	c->count = kept;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!kept) {
		c->root = root;
		c->high = end_sp ? end_sp : frames[n - 1].sp;
	}
	same = set_paths(c, at, count, frames, n, root);
	at += same;
	id = at ? c->frames[at - 1].id : root;
	found = left = n - same;
	if (left < WHOLE_MIN || !find_whole(&c->frames[at], frames, left, id))
		found = find_each(&c->frames[at], frames, left, id);
	at = kept;
	for (const struct walk_frame *w = frames + n; w-- > frames + (left - found); at++) {
		struct chain_frame *f = &c->frames[at];

		describe(&e, f, w, at ? f - 1 : NULL, end_sp);
		valid += e.valid;
		c->by_sp[w->sp / 16 % CHAIN_SPS] = (uint8_t)at;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->count = at;
	c->valid = valid;
	return found == left ? at ? c->frames[at - 1].id : root : 0;
}
