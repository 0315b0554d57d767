/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks every stack twice more and compares. */
#include "hook/verify.h"

#include "hook/core.h"
#include "hook/raw.h"
#include "hook/rows.h"
#include "hook/rows_make.h"
#include "hook/unwind_chain.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_step.h"
#include "hook/unwind_walk.h"
#include "hook/verify_report.h"
#include "hook/verify_share.h"
#include "trace/channel.h"

#define AREAS		64u	/* threads that verify at once, handlers on top of them included */

struct area {
	_Atomic uintptr_t owner;	/* thread pointer of whose it is, 0: free */
	uintptr_t sp;			/* of the capture */
	struct verify_walk interned, again, anew;
	struct walk_frame frames[UNWIND_DEPTH_MAX];
};

static struct area areas[AREAS];
static struct chain no_chain;		/* always empty */
static const struct depot_node *nodes;
static uint32_t nodes_max;
static struct channel_region *region;
static uint64_t bounds_seen[CHANNEL_THREADS_MAX];	/* by thread slot: bounds_changes() the last time */

void verify_init(const struct channel_header *header, struct channel_region *new_region)
{
	struct channel_layout l = channel_layout(header->threads_max, header->nodes_max, header->chunks_max,
						 false);

	region = new_region;
	nodes = (const void *)((char *)region + l.nodes);
	nodes_max = header->nodes_max;
	verify_share_init();
}

/* One of this thread's that a longjmp left behind, or a free one. */
static struct area *take_area(const struct channel_thread *t, uintptr_t sp)
{
	uintptr_t self = raw_thread_pointer();

	for (unsigned i = 0; sp < t->stack_high && i < AREAS; i++)
		if (areas[i].owner == self && areas[i].sp >= t->stack_low && areas[i].sp < sp)
			areas[i].owner = 0;
	for (unsigned i = 0; i < AREAS; i++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&areas[i].owner, &none, self)) {
			areas[i].sp = sp;
			return &areas[i];
		}
	}
	return NULL;
}

static void read_back(uint32_t id, struct verify_walk *s)
{
	s->count = 0;
	while (id >= DEPOT_FIRST && id < nodes_max && s->count < UNWIND_DEPTH_MAX) {
		const struct depot_node *n = &nodes[id];

		s->frames[s->count++] = n->frame | (n->flags & DEPOT_EXACT ? FRAME_EXACT : 0);
		id = n->parent;
	}
	s->root = id;
}

static void walk_again(const struct walk_state *start, const struct channel_thread *thread, unsigned depth,
		       struct area *a)
{
	struct bounds_cache cache = { 0 };
	struct walk_result r = walk_stack(start, thread, &cache, &no_chain, a->frames, depth);

	a->again.count = r.n;
	a->again.root = r.root;
	for (unsigned i = 0; i < r.n; i++)
		a->again.frames[i] = a->frames[i].frame;
}

/* By rules that are read from the unwind tables for every step, and by careful steps only. */
static void walk_anew(const struct walk_state *start, const struct channel_thread *thread, unsigned depth,
		      struct area *a)
{
	struct verify_walk *stack = &a->anew;
	struct bounds_cache cache = { 0 };
	struct walk_state s = *start;

	stack->count = 0;
	stack->root = 0;
	while (!stack->root) {
		uintptr_t at = s.pc - !s.exact;
		struct rule rule;

		if (at >> CPU_ADDRESS_BITS) {
			stack->root = s.exact || s.pc ? STACK_CUT_UNKNOWN : STACK_COMPLETE;
		} else if (stack->count == depth) {
			stack->root = STACK_CUT_DEPTH;
		} else {
			uint32_t number = rows_make(at, &rule);
			struct walk_frame *f = &a->frames[stack->count];

			*f = (struct walk_frame){ s.pc | rule.frame | (s.exact ? FRAME_EXACT : 0), s.sp, s.fp,
						  number ? &rows_rules[number] : NULL };
			stack->frames[stack->count++] = f->frame;
			stack->root = step_special(&s, &rule, thread, &cache, a->frames, stack->count);
		}
	}
}

static bool same(const struct verify_walk *a, const struct verify_walk *b)
{
	bool equal = a->count == b->count && a->root == b->root;

	for (unsigned i = 0; equal && i < a->count; i++)
		equal = a->frames[i] == b->frames[i];
	return equal;
}

/* Did another thread or the launcher change what is known to be readable, since this thread's stack
 * was last compared?  Then two walks of a stack that leaves the thread's own may differ. */
static bool moved(const struct channel_thread *thread)
{
	uint64_t now = bounds_changes(), *seen = &bounds_seen[thread - hook.threads];
	bool did = *seen != now;

	*seen = now;
	return did;
}

static void compare(const struct verify_walk *a, const struct verify_walk *b, const char *how, bool shaky)
{
	if (same(a, b))
		return;
	if (shaky && (a->root == STACK_CUT_UNREADABLE || b->root == STACK_CUT_UNREADABLE))
		atomic_fetch_add(&verify_page->unsure, 1);
	else
		verify_differ(a, b, how);
}

void verify_capture(const struct channel_thread *thread, const struct walk_state *start, unsigned depth,
		    uint32_t id)
{
	struct area *a = take_area(thread, start->sp);
	struct walk_state from = *start;
	bool shaky = moved(thread);

	if (!a) {
		atomic_fetch_add(&verify_page->skipped, 1);
		return;
	}
	if (!from.bounds.high)
		from.bounds = (struct stack_bounds){ thread->stack_low, thread->stack_high, true };
	read_back(id, &a->interned);
	walk_again(&from, thread, depth, a);
	compare(&a->interned, &a->again, "without the newest stack", shaky);
	walk_anew(&from, thread, depth, a);
	compare(&a->interned, &a->anew, "by rules made anew", shaky);
	verify_captured(&a->interned);
	a->owner = 0;
}
