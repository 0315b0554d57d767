/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A capture: walk the stack, then turn its frames into an id.
 *
 * The newest stack of each thread is remembered with its ids, outermost frame first.  Stacks that
 * follow one another share their outer frames, so only the inner ones that differ are looked up. */
#include "hook/unwind.h"

#include "hook/core.h"
#include "hook/depot.h"
#include "hook/modules.h"
#include "hook/raw.h"
#include "hook/rows.h"
#include "hook/unwind_bounds.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define NESTED_MAX	3u	/* captures by signal handlers that interrupt a capture */
#define STALE_AFTER	64u	/* seemingly nested ones in a row */

struct known_frame {
	uint64_t frame;
	uint32_t id;
	uint32_t pad;
};

/* What a thread slot owns, in the reserved memory.  The parts that are always used come first. */
struct unwind_thread {
	_Atomic uint32_t level;		/* captures under way on this thread */
	uint32_t generation;
	uint32_t stale;			/* see enter() */
	uint32_t resets;
	uint32_t known_root;
	_Atomic uint32_t known_count;
	struct bounds_cache bounds;
	uintptr_t outer_sp;
	uint64_t frames[UNWIND_DEPTH_MAX];
	struct known_frame known[UNWIND_DEPTH_MAX];
	uint64_t nested_frames[NESTED_MAX][UNWIND_DEPTH_MAX];
};

#define THREAD_BYTES	((sizeof(struct unwind_thread) + CHANNEL_PAGE - 1) / CHANNEL_PAGE * CHANNEL_PAGE)

static char *thread_areas;
static struct channel_region *region;
static unsigned depth_limit;
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
	struct channel_layout l = channel_layout(header->threads_max, header->nodes_max, header->chunks_max);
	char *at = reserved;

	region = new_region;
	generation++;
	depth_limit = depth < UNWIND_DEPTH_MAX ? depth : UNWIND_DEPTH_MAX;
	modules_init(at, region, l.modules);
	at += modules_reserve_bytes();
	rows_init(at);
	thread_areas = at + channel_page_up(rows_reserve_bytes());
	depot_init(header, region);
	bounds_init(region);
}

void unwind_thread_start(unsigned slot, struct channel_thread *thread)
{
	struct unwind_thread *u = area_of(slot);

	(void)thread;
	u->generation = generation;
	u->level = 0;
	u->stale = 0;
	u->known_count = 0;
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
		u->known_count = 0;
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

/* Id of n frames (innermost first) under root, without memory of earlier ones. */
static uint32_t intern_plain(const uint64_t *frames, unsigned n, uint32_t id)
{
	while (n && id)
		id = depot_child(id, frames[--n]);
	return id;
}

/* The same, from the thread's newest stack.  known[0 .. known_count) is true at every moment. */
static uint32_t intern(struct unwind_thread *u, const uint64_t *frames, unsigned n, uint32_t root)
{
	unsigned count = u->known_root == root ? u->known_count : 0, same = 0;
	uint32_t id;

	if (count > n)
		count = n;
	while (same < count && u->known[same].frame == frames[n - 1 - same])
		same++;
	id = same ? u->known[same - 1].id : root;
	if (same == n)		/* a part of the newest stack, which stays known */
		return id;
	atomic_store_explicit(&u->known_count, same, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	u->known_root = root;
	for (; same < n; same++) {
		id = depot_child(id, frames[n - 1 - same]);
		if (unlikely(!id))
			break;
		u->known[same].frame = frames[n - 1 - same];
		u->known[same].id = id;
	}
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&u->known_count, same, memory_order_relaxed);
	return id;
}

static uint32_t full(void)
{
	atomic_fetch_add_explicit(&region->depot_full, 1, memory_order_relaxed);
	return STACK_DEPOT_FULL;
}

/* A capture inside captures: frames of its own, no newest stack.  Beyond NESTED_MAX: one frame. */
static uint32_t capture_nested(struct unwind_thread *u, const struct walk_state *start,
			       const struct channel_thread *t, uint32_t level)
{
	struct bounds_cache cache = { 0 };
	uint64_t only;
	uint64_t *frames = level <= NESTED_MAX ? u->nested_frames[level - 1] : &only;
	unsigned depth = level <= NESTED_MAX ? depth_limit : 1, n;
	uint32_t root;

	n = walk_stack(start, t, &cache, frames, depth, &root);
	return intern_plain(frames, n, root);
}

uint32_t unwind_capture(unsigned slot, struct channel_thread *thread, uintptr_t pc, uintptr_t sp,
			uintptr_t fp)
{
	struct unwind_thread *u = area_of(slot);
	struct walk_state start = { .pc = pc, .sp = sp, .fp = fp };
	uint32_t level, resets, root, id;
	unsigned n;

	if (unlikely(u->generation != generation))
		unwind_thread_start(slot, thread);
	level = enter(u, thread, sp);
	resets = u->resets;
	if (likely(!level)) {
		start.bounds = bounds_find(thread, &u->bounds, sp);
		n = walk_stack(&start, thread, &u->bounds, u->frames, depth_limit, &root);
		id = intern(u, u->frames, n, root);
	} else {
		struct bounds_cache cache = { 0 };

		start.bounds = bounds_find(thread, &cache, sp);
		id = capture_nested(u, &start, thread, level);
	}
	if (unlikely(u->resets != resets)) {
		u->known_count = 0;
		level = 0;
		id = capture_nested(u, &start, thread, NESTED_MAX);
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
