/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One record an allocation, in chunks that never move, and a log of those that ended. */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "model/blocks.h"
#include "model/state.h"

#define HUGE_PAGE	((uintptr_t)2 << 20)

void records_release(struct records *records)
{
	for (size_t i = 0; i < records->chunks.count; i++)
		free(records->chunks.items[i]);
	for (size_t i = 0; i < records->change_chunks.count; i++)
		free(records->change_chunks.items[i]);
	vector_release(&records->chunks);
	vector_release(&records->change_chunks);
}

static void log_change(struct records *records, uint32_t id)
{
	if (records->changes / RECORD_CHUNK == records->change_chunks.count)
		vector_push(&records->change_chunks, xmalloc(RECORD_CHUNK * sizeof(uint32_t)));
	records->change_chunks.items[records->changes / RECORD_CHUNK][records->changes % RECORD_CHUNK] = id;
	records->changes++;
}

/* Huge pages, where the kernel has some: touching small ones one by one costs more than all the
 * rest of making a record. */
static struct record *chunk_new(void)
{
	size_t size = RECORD_CHUNK * sizeof(struct record);
	void *chunk = xmalloc(size);
	uintptr_t start = ((uintptr_t)chunk + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)chunk + size) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (start < end)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	return chunk;
}

static uint32_t push(struct records *records, const struct record *record)
{
	if (records->count == HEAP_NONE - 1)
		return HEAP_NONE;
	if (records->count / RECORD_CHUNK == records->chunks.count)
		vector_push(&records->chunks, chunk_new());
	records->chunks.items[records->count / RECORD_CHUNK][records->count % RECORD_CHUNK] = *record;
	return records->count++;
}

static uint64_t pack(uint64_t low, uint8_t mid, uint8_t high)
{
	return (low & RECORD_LOW) | (uint64_t)mid << 48 | (uint64_t)high << 56;
}

uint32_t record_new(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	struct record made = {
		.ptr = pack(event->ptr, event->op, (uint8_t)(op_bucket(event->op, event->size) << RECORD_BUCKET)),
		.size = event->size & RECORD_LOW,
		.alloc_stamp = event->stamp,
		.thread = thread,
		.free_thread = HEAP_NONE,
		.stack = event->stack,
	};

	return heap->options.keep_records ? push(&heap->records, &made) : HEAP_NONE;
}

/* A part of a range that is about to be split, alive. */
uint32_t record_piece(struct heap *heap, uint32_t whole, uint64_t ptr, uint64_t size)
{
	struct record made;

	if (whole == HEAP_NONE)
		return HEAP_NONE;
	made = *record_at(heap, whole);
	made.ptr = pack(ptr, record_op(&made), record_flags(&made) | RECORD_PIECE);
	made.size = size & RECORD_LOW;
	return push(&heap->records, &made);
}

/* event is NULL when the release was not seen, or is not one by the program. */
void record_end(struct heap *heap, uint32_t id, enum record_state state, uint32_t thread,
	const struct trace_event *event)
{
	struct record *r;

	if (id == HEAP_NONE)
		return;
	r = record_at(heap, id);
	r->size = pack(r->size, event ? event->op : 0, (uint8_t)state);
	r->free_stamp = event ? event->stamp : heap->now;
	r->free_thread = event ? thread : HEAP_NONE;
	r->free_stack = event ? event->stack : 0;
	if (event && event->op && op_kind(record_op(r)) == OP_KIND_ALLOC && !ops_fit(record_op(r), event->op))
		r->ptr |= (uint64_t)RECORD_MISMATCH << 56;
	log_change(&heap->records, id);
}

void record_mark(struct heap *heap, uint32_t id, uint8_t flag)
{
	record_at(heap, id)->ptr |= (uint64_t)flag << 56;
}

/* The free of a block came after its address had been handed out again: it has ended already,
 * now it is known by whom. */
void record_late_free(struct heap *heap, uint32_t id, uint32_t thread,
	const struct trace_event *event)
{
	struct record *r;

	if (id == HEAP_NONE)
		return;
	r = record_at(heap, id);
	r->size = pack(r->size, event->op, RECORD_FREED);
	r->free_thread = thread;
	r->free_stack = event->stack;
}

uint32_t record_site(const struct heap *heap, const struct record *r)
{
	uint8_t op = record_op(r);
	enum heap_class class = op_kind(op) == OP_KIND_MAP ? HEAP_PAGES : HEAP_BLOCKS;

	if (r->stack >= STACK_FIRST)
		return heap->site_of[class].items[r->stack] - 1;
	return heap->site_of_op[op][record_flags(r) >> RECORD_BUCKET] - 1;
}
