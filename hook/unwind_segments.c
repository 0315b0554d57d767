/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments: look-up, verification, renewal. */
#include "hook/unwind_segments.h"

#include "hook/raw.h"
#include "hook/unwind_chain.h"

#define WORD sizeof(uintptr_t)

static inline uint32_t set_of(uintptr_t pc, uintptr_t sp)
{
	return (uint32_t)((pc ^ sp << 3) * 0x9e3779b97f4a7c15ull >> 59) % SEGMENT_SETS;
}

/* The words from the inside to the outside: where stacks differ, they mostly do so near the beginning. */
static inline bool words_hold(const struct segment *g)
{
	const uintptr_t *sp = (const uintptr_t *)g->sp;

	for (unsigned i = g->checks; i--;) {
		if (sp[g->at[i]] != g->values[i])
			return false;
	}
	return true;
}

static inline bool at_joint(const struct segment *g, const struct chain *c)
{
	const struct chain_frame *joint = &c->frames[g->kept - 1];

	return g->kept <= c->valid && joint->id == g->joint_id && joint->sp == g->joint_sp &&
		(!(g->live & SEGMENT_JOINT_FP) || joint->fp == g->joint_fp);
}

/* Nothing is read before it is known to lie below the chain's end. */
uint32_t segments_find(struct segments *s, struct chain *c, uintptr_t pc, uintptr_t sp, uintptr_t fp,
		       uintptr_t high)
{
	const struct segment *g = s->of[set_of(pc, sp)];

	for (const struct segment *end = g + SEGMENT_WAYS; g < end; g++) {
		if (g->pc != pc || g->sp != sp || g->drops != c->drops || g->era != s->era || !at_joint(g, c) ||
		    (g->live & SEGMENT_FP && g->fp != fp) || c->high > high)
			continue;
		if (words_hold(g) && chain_holds(c, g->kept - 1u, g->joint_fp, high))
			goto found;
	}
	return 0;
found:
	s->misses = s->misses < SEGMENT_PATIENCE ? 0 : s->misses - SEGMENT_PATIENCE / 2;
	return g->id;
}

static bool fill(struct segment *g, const struct segments *s, const struct chain *c, uint32_t kept)
{
	const struct chain_frame *joint = &c->frames[kept - 1], *f = &c->frames[c->count - 1];
	const struct chain_check *check = &c->checks[joint->checks];
	unsigned n = f->checks - joint->checks;

	if (n > SEGMENT_CHECKS)
		return false;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t at = (check[i].at - f->sp) / WORD;

		if (check[i].at < f->sp || at > UINT16_MAX)
			return false;
		g->at[i] = (uint16_t)at;
		g->values[i] = check[i].value;
	}
	g->sp = f->sp;
	g->fp = f->fp;
	g->joint_sp = joint->sp;
	g->joint_fp = joint->fp;
	g->id = f->id;
	g->joint_id = joint->id;
	g->drops = c->drops;
	g->era = s->era;
	g->kept = (uint16_t)kept;
	g->checks = (uint8_t)n;
	g->live = (f->live ? SEGMENT_FP : 0) | (joint->live ? SEGMENT_JOINT_FP : 0);
	return true;
}

/* An entry is void while it is written: a signal handler may leave by longjmp. */
void segments_keep(struct segments *s, const struct chain *c, uint32_t kept)
{
	const struct chain_frame *f = &c->frames[c->count - 1];
	struct segment *g;
	uintptr_t pc;
	uint32_t set;

	if (!kept || c->valid != c->count || c->count <= kept)
		return;
	pc = (uintptr_t)(f->frame << 16 >> 16);
	set = set_of(pc, f->sp);
	g = &s->of[set][s->next[set]];
	s->next[set] = (uint8_t)((s->next[set] + 1) % SEGMENT_WAYS);
	g->pc = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!fill(g, s, c, kept))
		return;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	g->pc = pc;
}
