/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repair of the order where clocks cannot tell.
 *
 * A free is stamped before, an allocation after the real call, so stamps of one address are in
 * causal order up to the clock's skew between processors and its quantum.  Where they are not,
 * the events of an address still alternate:
 *
 *   seen   alloc(p) by A   alloc(p) by B   free(p) by C     really: C's free was of A's block
 *   seen   free(p) by C    alloc(p) by B                    really: B's block, freed by C
 *
 * Either is believed only within a window of time, and never against the order of one thread's
 * own events, which is certain. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"

#define WINDOW_NS	20000u
#define NEAR_WINDOW_NS	1000u	/* when unknown frees are normal, a chance match is likely */

void repair_init(struct repair *repair)
{
	memset(repair, 0, sizeof(*repair));
	repair->displaced = xcalloc(UNSURE_SLOTS, sizeof(*repair->displaced));
	repair->early = xcalloc(UNSURE_SLOTS, sizeof(*repair->early));
}

void repair_release(struct repair *repair)
{
	free(repair->displaced);
	free(repair->early);
}

static uint64_t quanta(const struct heap *heap, uint64_t ns)
{
	return heap->clock.mult ? (uint64_t)(((unsigned __int128)ns << 32) / heap->clock.mult) : ns;
}

/* The clock is known, or known better. */
void repair_windows(struct heap *heap)
{
	heap->repair.window = quanta(heap, WINDOW_NS);
	heap->repair.near_window = quanta(heap, NEAR_WINDOW_NS);
}

static size_t slot_of(uint64_t ptr)
{
	return (ptr * 0x9e3779b97f4a7c15ull) >> 52;
}

static bool is_near(uint64_t a, uint64_t b, uint64_t window)
{
	return (a > b ? a - b : b - a) <= window;
}

/* The address of an old block was handed out again by event: a free may still come. */
void repair_displaced(struct heap *heap, uint32_t thread, const struct trace_event *event,
	const struct live_block *old)
{
	struct repair *repair = &heap->repair;

	repair->displaced[slot_of(event->ptr)] = (struct unsure){
		.ptr = event->ptr, .stamp = event->stamp, .thread = thread,
		.record = block_record_id(heap, old), .owner = old->thread,
		.count = account_of(heap, HEAP_BLOCKS, old->size, 0).count,
	};
	if (event->stamp + repair->window > repair->displaced_until)
		repair->displaced_until = event->stamp + repair->window;
	heap->status.implied_frees++;
}

/* Is this free that of a displaced block?  Then it is done with. */
bool repair_late_free(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	struct unsure *u = &heap->repair.displaced[slot_of(event->ptr)];

	if (u->ptr != event->ptr || u->thread == thread ||
	    !is_near(u->stamp, event->stamp, heap->repair.window))
		return false;
	u->ptr = 0;
	heap->status.implied_frees--;
	if (thread != u->owner) {
		heap->threads.items[u->owner].freed_by_others += u->count;
		heap->threads.items[thread].freed_for_others += u->count;
	}
	record_late_free(heap, u->record, thread, event);
	return true;
}

static bool freed_before(struct heap *heap, uint64_t ptr)
{
	return !heap->filtered && found_slot(&heap->found, ptr)->ptr == ptr;
}

/* A free of no known block: its allocation may still come. */
void repair_early_free(struct heap *heap, uint32_t thread, const struct trace_event *event,
	uint32_t finding)
{
	struct repair *repair = &heap->repair;
	uint64_t window = heap->filtered ? repair->near_window : repair->window;

	repair->early[slot_of(event->ptr)] = (struct unsure){
		.ptr = event->ptr, .stamp = event->stamp, .thread = thread,
		.stack = event->stack, .op = event->op, .finding = finding,
	};
	if (event->stamp + window > repair->early_until)
		repair->early_until = event->stamp + window;
	heap->status.unknown_frees++;
	heap->wrong_frees += finding != FOUND_NONE;
	if (freed_before(heap, event->ptr))
		heap->status.double_frees++;
}

/* Was the block that event allocates freed just before, by the stamps? */
bool repair_take_early(struct heap *heap, uint32_t thread, const struct trace_event *event,
	uint32_t *free_thread, struct trace_event *free_event)
{
	struct unsure *u = &heap->repair.early[slot_of(event->ptr)];
	uint64_t window = heap->filtered ? heap->repair.near_window : heap->repair.window;

	if (u->ptr != event->ptr || u->thread == thread || !is_near(u->stamp, event->stamp, window))
		return false;
	*free_thread = u->thread;
	*free_event = (struct trace_event){
		.stamp = event->stamp, .ptr = u->ptr, .stack = u->stack, .op = u->op,
	};
	u->ptr = 0;
	heap->status.unknown_frees--;
	if (freed_before(heap, event->ptr))
		heap->status.double_frees--;
	heap->wrong_frees -= u->finding != FOUND_NONE;
	found_retract(heap, u->finding);
	return true;
}
