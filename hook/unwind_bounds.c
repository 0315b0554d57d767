/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stack bounds without a system call. */
#include "hook/unwind_bounds.h"

#include "hook/core.h"
#include "trace/channel.h"

#define PAGE		((uintptr_t)CHANNEL_PAGE)
#define READ_TRIES	3

static struct channel_region *region;
static _Atomic uint32_t forgets;	/* a counter, so that caches notice */
static _Atomic uint32_t distrusted;	/* the ranges_seq whose ranges may be older than a forget */

void bounds_init(struct channel_region *new_region)
{
	region = new_region;
	atomic_store(&distrusted, 0);
	atomic_fetch_add(&forgets, 1);
}

static bool search(uintptr_t sp, struct bounds_cache *found)
{
	uint32_t count = atomic_load_explicit(&region->ranges_count, memory_order_relaxed);

	if (count > CHANNEL_RANGES_MAX)
		count = CHANNEL_RANGES_MAX;
	for (uint32_t i = 0; i < count; i++) {
		found->low = atomic_load_explicit(&region->ranges[i].start, memory_order_relaxed);
		found->high = atomic_load_explicit(&region->ranges[i].end, memory_order_relaxed);
		if (sp >= found->low && sp < found->high)
			return true;
	}
	return false;
}

/* A published range that holds sp, read under the seqlock. */
static bool published(uintptr_t sp, struct bounds_cache *cache)
{
	uint32_t seq = atomic_load_explicit(&region->ranges_seq, memory_order_acquire);
	uint32_t forgotten = atomic_load_explicit(&forgets, memory_order_relaxed);

	if (sp >= cache->low && sp < cache->high && cache->seq == seq && cache->forgets == forgotten)
		return true;
	for (int i = 0; i < READ_TRIES; i++) {
		struct bounds_cache found = { .seq = seq, .forgets = forgotten };

		if (seq & 1 || seq == 0 || seq == atomic_load(&distrusted))
			return false;
		if (!search(sp, &found))
			return false;
		atomic_thread_fence(memory_order_acquire);
		seq = atomic_load_explicit(&region->ranges_seq, memory_order_relaxed);
		if (seq == found.seq) {
			*cache = found;
			return true;
		}
	}
	return false;
}

struct stack_bounds bounds_find(const struct channel_thread *thread, struct bounds_cache *cache,
				uintptr_t sp)
{
	struct stack_bounds b = { thread->stack_low, thread->stack_high, true };

	if (sp >= b.low && sp < b.high)
		return b;
	b.low = hook.main_stack_low;
	b.high = hook.main_stack_high;
	if (sp >= b.low && sp < b.high)
		return b;
	if (published(sp, cache)) {
		b.low = cache->low;
		b.high = cache->high;
		return b;
	}
	atomic_fetch_add_explicit(&region->ranges_wanted, 1, memory_order_relaxed);
	b.low = sp & ~(PAGE - 1);
	b.high = b.low + PAGE;
	b.known = false;
	return b;
}

uint64_t bounds_changes(void)
{
	return (uint64_t)atomic_load(&forgets) << 32 | atomic_load(&region->ranges_seq);
}

void bounds_forget(uintptr_t start, uintptr_t end)
{
	uint32_t count = atomic_load_explicit(&region->ranges_count, memory_order_relaxed);
	uint32_t seq = atomic_load_explicit(&region->ranges_seq, memory_order_relaxed);
	bool touched = false;

	if (count > CHANNEL_RANGES_MAX)
		count = CHANNEL_RANGES_MAX;
	for (uint32_t i = 0; i < count; i++) {
		struct channel_range *r = &region->ranges[i];

		if (atomic_load_explicit(&r->start, memory_order_relaxed) >= end ||
		    atomic_load_explicit(&r->end, memory_order_relaxed) <= start)
			continue;
		atomic_store(&r->end, 0);
		touched = true;
	}
	if (seq & 1)
		atomic_store(&distrusted, seq + 1);
	if (touched)
		atomic_fetch_add(&forgets, 1);
	if (touched || seq & 1)
		atomic_fetch_add(&region->ranges_wanted, 1);
}
