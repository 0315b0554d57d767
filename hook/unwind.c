/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A capture: walk the stack up to where it is known from the thread's newest one, then turn the
 * frames that were walked into an id. */
#include "hook/unwind.h"

#include "hook/core.h"
#include "hook/depot.h"
#include "hook/modules.h"
#include "hook/raw.h"
#include "hook/rows.h"
#include "hook/unwind_bounds.h"
#include "hook/unwind_chain.h"
#include "hook/unwind_segments.h"
#include "hook/unwind_walk.h"
#include "hook/verify.h"
#include "trace/channel.h"

#define NESTED_MAX	3u	/* captures by signal handlers that interrupt a capture */
#define NESTED_DEPTH	64u	/* and their most frames */
#define STALE_AFTER	64u	/* seemingly nested ones in a row */

/* What a thread slot owns, in the reserved memory. */
struct unwind_thread {
	_Atomic uint32_t level;		/* captures under way on this thread */
	uint32_t generation;
	uint32_t stale;			/* see enter() */
	uint32_t resets;		/* so that a capture which is not the newest one any more notices */
	uintptr_t outer_sp;
	struct bounds_cache bounds;
	struct chain chain;
	struct segments segments;
	struct walk_frame frames[UNWIND_DEPTH_MAX];
	struct walk_frame nested[NESTED_MAX][NESTED_DEPTH];
};

#define THREAD_BYTES	((sizeof(struct unwind_thread) + CHANNEL_PAGE - 1) / CHANNEL_PAGE * CHANNEL_PAGE)

static char *thread_areas;
static struct channel_region *region;
static unsigned depth_limit;
static struct chain no_chain;	/* always empty */
static uint32_t generation;	/* of the region: what a thread remembers of an earlier one is void */

static struct unwind_thread *area_of(unsigned slot)
{
	return (void *)(thread_areas + slot * THREAD_BYTES);
}

size_t unwind_reserve_bytes(unsigned threads_max)
{
	return modules_reserve_bytes() + channel_page_up(rows_reserve_bytes()) + threads_max * THREAD_BYTES;
}

void unwind_init(void *reserved, struct channel_header *header, struct channel_region *new_region,
		 unsigned depth)
{
	struct channel_layout l = channel_layout(header->threads_max, header->nodes_max, header->chunks_max,
						 false);
	char *at = reserved;
	struct module own;

	region = new_region;
	generation++;
	depth_limit = depth < UNWIND_DEPTH_MAX ? depth : UNWIND_DEPTH_MAX;
	modules_init(at, region, l.modules);
	at += modules_reserve_bytes();
	rows_init(at);
	thread_areas = at + channel_page_up(rows_reserve_bytes());
	depot_init(header, region);
	bounds_init(region);
	verify_init(header, region);
	/* dlclose's wrapper is ours, and without _dl_find_object nothing new is looked up during one. */
	modules_find((uintptr_t)unwind_init, &own);
}

void unwind_forget_all(void)
{
	region = NULL;
	modules_forget();
	rows_forget();
}

static void forget_stacks(struct unwind_thread *u)
{
	u->chain.count = 0;
	u->chain.valid = 0;
	segments_clear(&u->segments);
}

void unwind_thread_start(unsigned slot, struct channel_thread *thread)
{
	struct unwind_thread *u = area_of(slot);

	(void)thread;
	u->generation = generation;
	u->level = 0;
	u->stale = 0;
	u->resets++;	/* a fork child's handler may interrupt a capture of its parent's */
	forget_stacks(u);
	u->bounds = (struct bounds_cache){ 0 };
}

/* How deep this capture nests.  A handler that left a capture by longjmp leaves the level raised:
 * many captures in a row whose stack pointer is above that of the outermost one, on the thread's
 * own stack, mean that it is gone.  If it is not after all (a handler on a stack inside a frame),
 * it notices by `resets` and does not trust what it left. */
static uint32_t enter(struct unwind_thread *u, const struct channel_thread *t, uintptr_t sp)
{
	uint32_t level = atomic_load_explicit(&u->level, memory_order_relaxed);

	if (unlikely(level && sp > u->outer_sp && sp < t->stack_high && u->outer_sp >= t->stack_low &&
		     ++u->stale >= STALE_AFTER)) {
		forget_stacks(u);
		u->resets++;
		level = 0;
	}
	atomic_store_explicit(&u->level, level + 1, memory_order_relaxed);
	if (!level) {
		u->outer_sp = sp;
		u->stale = 0;
	}
	return level;
}

static uint32_t full(void)
{
	atomic_fetch_add_explicit(&region->depot_full, 1, memory_order_relaxed);
	return STACK_DEPOT_FULL;
}

/* A stack that needs no walk: the same place again, or one of those taken in turn; else 0.  high: the
 * end of the thread's own stack, which it is on. */
static inline uint32_t capture_known(struct unwind_thread *u, uintptr_t pc, uintptr_t sp, uintptr_t fp,
				     uintptr_t high)
{
	uint32_t f = chain_guess(&u->chain, sp, pc);

	if (f != CHAIN_NONE && chain_holds(&u->chain, f, fp, high))
		return u->chain.frames[f].id;
	return segments_try(&u->segments) ? segments_find(&u->segments, &u->chain, pc, sp, fp, high) : 0;
}

static __attribute__((noinline)) uint32_t capture_walk(struct unwind_thread *u,
						       const struct walk_state *start,
						       const struct channel_thread *t)
{
	struct walk_result r;
	uint32_t id;

	r = walk_stack(start, t, &u->bounds, &u->chain, u->frames, depth_limit);
	if (!r.n)	/* an outer part of the newest stack, all of which stays */
		return r.kept ? u->chain.frames[r.kept - 1].id : r.root;
	id = chain_extend(&u->chain, r.kept, u->frames, r.n, r.root, r.end_sp);
	if (segments_try(&u->segments))
		segments_keep(&u->segments, &u->chain, r.kept);
	u->segments.misses++;
	return id;
}

static unsigned depth_at(uint32_t level)
{
	unsigned most = level > NESTED_MAX ? 1 : level ? NESTED_DEPTH : UNWIND_DEPTH_MAX;

	return depth_limit < most ? depth_limit : most;
}

/* A capture inside captures: frames of its own, no newest stack.  Beyond NESTED_MAX: one frame. */
static uint32_t capture_nested(struct unwind_thread *u, const struct walk_state *start,
			       const struct channel_thread *t, uint32_t level)
{
	struct bounds_cache cache = { 0 };
	struct walk_frame only, *frames = level <= NESTED_MAX ? u->nested[level - 1] : &only;
	struct walk_result r = walk_stack(start, t, &cache, &no_chain, frames, depth_at(level));
	uint64_t path = r.root;
	uint32_t id = r.root;

	while (r.n && id) {
		uint64_t frame = frames[--r.n].frame;

		path = depot_path(path, frame);
		id = depot_child(id, frame, path);
	}
	return id;
}

uint32_t unwind_capture(unsigned slot, struct channel_thread *thread, uintptr_t pc, uintptr_t sp,
			uintptr_t fp)
{
	struct unwind_thread *u = area_of(slot);
	struct walk_state start = { .pc = pc, .sp = sp, .fp = fp };
	uint32_t level, resets, id = 0;

	if (unlikely(u->generation != generation))
		unwind_thread_start(slot, thread);
	level = enter(u, thread, sp);
	resets = u->resets;
	if (likely(!level)) {
		chain_refresh(&u->chain);
		if (likely(sp >= thread->stack_low && sp < thread->stack_high))
			id = capture_known(u, pc, sp, fp, thread->stack_high);
	}
	if (!id) {
		start.bounds = bounds_find(thread, &u->bounds, sp);
		id = level ? capture_nested(u, &start, thread, level) : capture_walk(u, &start, thread);
	}
	if (unlikely(u->resets != resets)) {
		start.bounds = bounds_find(thread, &u->bounds, sp);
		forget_stacks(u);
		level = 0;
		id = capture_nested(u, &start, thread, NESTED_MAX);
	} else if (likely(id)) {
		verify_capture(thread, &start, depth_at(level), id);
	}
	atomic_store_explicit(&u->level, level, memory_order_relaxed);
	return likely(id) ? id : full();
}

void unwind_modules_changed(void)
{
	if (region)
		modules_changed();
}

void unwind_forget_range(uintptr_t start, uintptr_t end)
{
	if (region)
		bounds_forget(start, end);
}
