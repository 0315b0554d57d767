/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as the outside sees them. */
#include "model/blocks.h"

#include "model/state.h"

uint32_t block_count(const struct heap *heap)
{
	return heap->records.count;
}

static enum block_state state_of(const struct heap *heap, const struct record *r)
{
	switch (record_state(r)) {
	case RECORD_LIVE:
		return thread_leaks(heap, r->thread) ? BLOCK_LEAKED : BLOCK_ACTIVE;
	case RECORD_GONE:
		return BLOCK_GONE;
	case RECORD_SPLIT:
		return BLOCK_SPLIT;
	default:
		return BLOCK_FREED;
	}
}

static uint32_t stack_or_none(uint32_t stack)
{
	return stack ? stack : HEAP_NONE;
}

void block_get(const struct heap *heap, uint32_t id, struct block_record *out)
{
	const struct record *r = record_at(heap, id);
	bool live = record_state(r) == RECORD_LIVE;

	*out = (struct block_record){
		.id = id, .state = state_of(heap, r),
		.class = op_kind(record_op(r)) == OP_KIND_MAP ? HEAP_PAGES : HEAP_BLOCKS,
		.piece = record_flags(r) & RECORD_PIECE,
		.mismatched = record_flags(r) & RECORD_MISMATCH,
		.op = record_op(r), .free_op = (uint8_t)(r->size >> 48),
		.ptr = r->ptr & RECORD_LOW, .size = record_size(r),
		.alloc_ns = heap_ns(heap, r->alloc_stamp),
		.free_ns = live ? 0 : heap_ns(heap, r->free_stamp),
		.thread = r->thread, .free_thread = r->free_thread,
		.stack = stack_or_none(r->stack), .free_stack = stack_or_none(r->free_stack),
		.site = record_site(heap, r),
	};
	out->runtime = out->state == BLOCK_LEAKED && site_is_runtime((struct heap *)heap, out->site);
	out->age_ns = (live ? heap_ns(heap, heap->now) : out->free_ns) - out->alloc_ns;
	if (out->age_ns > INT64_MAX)
		out->age_ns = 0; /* clocks that went back */
}

const char *block_state_label(enum block_state state)
{
	static const char *const labels[] = {
		[BLOCK_ACTIVE] = "[A]", [BLOCK_FREED] = "[F]", [BLOCK_LEAKED] = "[L]",
		[BLOCK_GONE] = "[X]", [BLOCK_SPLIT] = "[S]",
	};

	return labels[state];
}
