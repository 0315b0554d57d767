/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is counted anew by a walk over all live blocks, when somebody asks: what exited threads left, and what
 * threads hold of the runtime's.  From then on the books keep it (account.c).
 *
 * Where there is somebody to wait for (options.stop), a long walk is not made by the question but by
 * heap_catch_up(), in pieces; until it is through the answer is that of before.  No event is applied
 * in the middle of a walk. */
#include "model/state.h"

#define SHORT_SLOTS	65536u	/* a walk of a millisecond */

static void if_short_catch_up(struct heap *heap)
{
	if (!heap->options.stop || heap->live.mask < SHORT_SLOTS)
		while (!heap_catch_up(heap))
			;
}

static void count_leak(struct heap *heap, uint32_t site, uint32_t thread, struct account a)
{
	const struct thread *owner = &heap->threads.items[thread];

	if (!owner->exited || owner->leaks_counted)
		return;
	a.site = site;
	heap->sites.items[site].leaked += a.count;
	heap->sites.items[site].leaked_bytes += a.size;
	if (a.weight)
		noise_leak(heap, &a);
}

static void count_leaked_block(struct heap *heap, const struct live_block *block)
{
	count_leak(heap, block->site, block->thread, account_of(heap, HEAP_BLOCKS, block->size, 0));
}

static void count_runtime_block(struct heap *heap, const struct live_block *block)
{
	struct account a;

	if (!heap->sites.items[block->site].in_runtime)
		return;
	a = account_of(heap, HEAP_BLOCKS, block->size, 0);
	heap->threads.items[block->thread].runtime_live += a.count;
	heap->threads.items[block->thread].runtime_bytes += a.size;
}

static void count_leaked_pages(struct heap *heap)
{
	for (size_t l = 0; l < heap->ranges.leaves.count; l++) {
		const struct ranges_leaf *leaf = heap->ranges.leaves.items[l];

		for (size_t i = 0; i < leaf->count; i++) {
			const struct live_range *range = &leaf->items[i];

			if (!range->inner)
				count_leak(heap, range->site, range->thread,
					   account_of(heap, HEAP_PAGES, range->end - range->start, 0));
		}
	}
}

/* Can be left. */
static bool count_leaks(struct heap *heap)
{
	heap->recount.leaks = !heap_walk(heap, &heap->recount.at, count_leaked_block);
	if (heap->recount.leaks)
		return false;
	count_leaked_pages(heap);
	for (size_t i = 0; i < heap->threads.count; i++)
		heap->threads.items[i].leaks_counted |= heap->threads.items[i].exited;
	heap->exits_counted = heap->exits;
	heap->generation++;
	return true;
}

/* When the program has ended all that lives is leaked, and nobody asks for more. */
static bool leaks_are_known(const struct heap *heap)
{
	return heap->exits_counted == heap->exits || heap->status.leaks_final;
}

void account_leaks(struct heap *heap)
{
	if (leaks_are_known(heap))
		return;
	heap->recount.wants_leaks = true;
	if_short_catch_up(heap);
}

/* Which sites are the runtime's is known with their names.  Returns whether the answer of one
 * with blocks has changed. */
static bool runtime_sites_changed(struct heap *heap)
{
	bool changed = false;

	for (uint32_t i = 0; i < heap->sites.count; i++) {
		struct site *site = &heap->sites.items[i];
		bool runtime = site->class == HEAP_BLOCKS && site_is_runtime(heap, i);

		if (runtime == site->in_runtime)
			continue;
		site->in_runtime = runtime;
		changed |= site->live != 0;
	}
	return changed;
}

/* Can be left. */
static bool count_runtime(struct heap *heap)
{
	if (!heap->recount.runtime)
		for (size_t i = 0; i < heap->threads.count; i++)
			heap->threads.items[i].runtime_live = heap->threads.items[i].runtime_bytes = 0;
	heap->recount.runtime = !heap_walk(heap, &heap->recount.at, count_runtime_block);
	heap->generation += !heap->recount.runtime;
	return !heap->recount.runtime;
}

static bool runtime_is_known(const struct heap *heap)
{
	return heap->runtime_sites == heap->sites.count && heap->runtime_symbols == heap->modules.generation;
}

/* Which sites are whose changes at once with the walk: no block of theirs may end in between. */
static bool begin_runtime(struct heap *heap)
{
	heap->runtime_sites = heap->sites.count;
	heap->runtime_symbols = heap->modules.generation;
	return !runtime_sites_changed(heap) || count_runtime(heap);
}

void account_runtime(struct heap *heap)
{
	if (runtime_is_known(heap))
		return;
	heap->recount.wants_runtime = true;
	if_short_catch_up(heap);
}

bool recount_finish(struct heap *heap)
{
	return (!heap->recount.leaks || count_leaks(heap)) && (!heap->recount.runtime || count_runtime(heap));
}

bool heap_is_behind(const struct heap *heap)
{
	return heap->recount.wants_leaks || heap->recount.wants_runtime;
}

bool heap_catch_up(struct heap *heap)
{
	if (!recount_finish(heap) || (!leaks_are_known(heap) && !count_leaks(heap)))
		return false;
	heap->recount.wants_leaks = false;
	if (heap->recount.wants_runtime && !runtime_is_known(heap) && !begin_runtime(heap))
		return false;
	heap->recount.wants_runtime = false;
	return true;
}
