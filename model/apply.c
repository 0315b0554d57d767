/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What events do to the heap: blocks. */
#include "model/state.h"
#include "trace/ops.h"

static struct account block_account(struct heap *heap, const struct live_block *block, uint64_t stamp)
{
	struct account a = account_of(heap, HEAP_BLOCKS, block->size, stamp);

	a.site = block->site;
	a.thread = block->thread;
	return a;
}

static void block_end(struct heap *heap, const struct live_block *block, uint32_t free_thread,
	const struct trace_event *event)
{
	struct account a = block_account(heap, block, event->stamp);

	account_free(heap, &a, free_thread, true);
}

/* heaptrack's meaning of temporary: the thread allocated nothing between the two.  Samples do not
 * tell. */
static void note_temporary(struct heap *heap, const struct live_block *block, uint32_t thread)
{
	struct thread *owner = &heap->threads.items[thread];

	if (block->thread != thread || owner->last_ptr != block->ptr || heap->sampling.on)
		return;
	owner->last_ptr = 0;
	owner->temporary++;
	heap->sites.items[block->site].temporary++;
	heap->totals[HEAP_BLOCKS].temporary++;
	if (block_record_id(heap, block) != HEAP_NONE)
		record_mark(heap, block->record, RECORD_TEMPORARY);
}

static void apply_free(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	struct live_block *block;

	if (!event->ptr)
		return;
	if (event->stamp <= heap->repair.displaced_until && repair_late_free(heap, thread, event))
		return;
	block = live_find(&heap->live, event->ptr);
	if (!block) {
		repair_early_free(heap, thread, event, found_unmatched(heap, thread, event));
		return;
	}
	if (!ops_fit(block->op, event->op)) {
		heap->status.mismatched_frees++;
		found_mismatch(heap, thread, event, block);
	}
	note_temporary(heap, block, thread);
	block_end(heap, block, thread, event);
	record_end(heap, block_record_id(heap, block), RECORD_FREED, thread, event);
	found_remember(heap, block, thread, event);
	live_remove(&heap->live, block);
}

/* The address is live: its old block must have ended before, unseen or not yet seen. */
static void displace(struct heap *heap, uint32_t thread, const struct trace_event *event,
	const struct live_block *old)
{
	repair_displaced(heap, thread, event, old);
	block_end(heap, old, HEAP_NONE, event);
	record_end(heap, block_record_id(heap, old), RECORD_FREED, HEAP_NONE, NULL);
}

static void apply_alloc(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	struct account a;
	struct trace_event free_event;
	struct live_block *block;
	uint32_t free_thread;
	bool found;

	if (!event->ptr || event->ptr == UINT64_MAX)
		return;
	block = live_place(&heap->live, event->ptr, &found);
	if (found)
		displace(heap, thread, event, block);
	a = account_of(heap, HEAP_BLOCKS, event->size, event->stamp);
	a.thread = thread;
	a.site = account_site(heap, HEAP_BLOCKS, event, thread);
	block->size = event->size;
	block->site = a.site;
	block->thread = thread;
	block->op = event->op;
	if (heap->options.keep_records)
		block->record = record_new(heap, thread, event);
	else
		block_set_born(block, event->stamp);
	account_alloc(heap, &a);
	heap->threads.items[thread].last_ptr = event->ptr;
	if (event->stamp <= heap->repair.early_until &&
	    repair_take_early(heap, thread, event, &free_thread, &free_event))
		apply_free(heap, free_thread, &free_event);
}

static void see_thread(struct heap *heap, uint32_t index, uint64_t stamp)
{
	struct thread *thread = &heap->threads.items[index];

	if (stamp < thread->first_stamp)
		thread->first_stamp = stamp;
	if (stamp > thread->last_stamp)
		thread->last_stamp = stamp;
	if (stamp < heap->first_stamp)
		heap->first_stamp = stamp;
	heap_saw(heap, stamp);
}

void apply_event(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	if (heap->options.until && event->stamp > heap->options.until)
		return;
	heap->status.events++;
	see_thread(heap, thread, event->stamp);
	switch (op_kind(event->op)) {
	case OP_KIND_ALLOC:
		apply_alloc(heap, thread, event);
		break;
	case OP_KIND_FREE:
		apply_free(heap, thread, event);
		break;
	case OP_KIND_MAP:
		apply_map(heap, thread, event);
		break;
	case OP_KIND_UNMAP:
		apply_unmap(heap, thread, event);
		break;
	case OP_KIND_FINDING:
		found_event(heap, thread, event);
		break;
	case OP_KIND_EXIT:
		thread_exit(heap, thread, event->stamp, event->size);
		break;
	default:
		break;
	}
}

static void block_exec(struct heap *heap, const struct live_block *block)
{
	struct account a = block_account(heap, block, heap->gone_stamp);

	account_gone(heap, &a);
	record_end(heap, block_record_id(heap, block), RECORD_GONE, HEAP_NONE, NULL);
}

/* Another program runs in the process: its heap starts empty, and nothing of the old leaked. */
bool apply_exec(struct heap *heap, uint64_t stamp)
{
	if (heap->options.until && stamp > heap->options.until)
		return true;
	heap_saw(heap, stamp);
	heap->gone_stamp = stamp;
	if (!heap_walk(heap, &heap->gone_at, block_exec))
		return false;
	heap->status.execs++;
	live_clear(&heap->live);
	found_exec(&heap->found);
	pages_exec(heap, stamp);
	footprint_exec(heap);
	return true;
}
