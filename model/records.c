/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One record an allocation, in chunks that never move, and a log of those that ended. */
#include "model/blocks.h"
#include "model/state.h"

void records_release(struct heap *heap)
{
	struct records *records = &heap->records;

	for (size_t i = 0; i < records->chunks.count; i++)
		spill_put(heap->spill, records->chunks.items[i]);
	for (size_t i = 0; i < records->change_chunks.count; i++)
		spill_put(heap->spill, records->change_chunks.items[i]);
	vector_release(&records->chunks);
	vector_release(&records->change_chunks);
}

/* What is known stays, what comes is counted and not listed. */
static void fill_up(struct heap *heap)
{
	heap->records.full = true;
	heap_note(heap, "there is no memory for more than %u allocations: later ones are counted, and missing in lists",
		  heap->records.count);
}

static void *chunk_new(struct heap *heap, size_t size)
{
	void *chunk = spill_get(heap->spill, size);

	if (!chunk)
		fill_up(heap);
	if (spill_message(heap->spill)[0])
		heap_note(heap, "%s", spill_message(heap->spill));
	return chunk;
}

static void log_change(struct records *records, uint32_t id)
{
	records->change_chunks.items[records->changes / CHANGE_CHUNK][records->changes % CHANGE_CHUNK] = id;
	records->changes++;
}

/* Room for one more record and for its end: each has one at most. */
static bool reserve(struct heap *heap)
{
	struct records *records = &heap->records;

	if (records->count / CHANGE_CHUNK == records->change_chunks.count) {
		uint32_t *chunk = chunk_new(heap, CHANGE_CHUNK * sizeof(*chunk));

		if (!chunk)
			return false;
		vector_push(&records->change_chunks, chunk);
	}
	if (records->count / RECORD_CHUNK == records->chunks.count) {
		struct record *chunk = chunk_new(heap, RECORD_CHUNK * sizeof(*chunk));

		if (!chunk)
			return false;
		vector_push(&records->chunks, chunk);
	}
	return true;
}

static uint32_t push(struct heap *heap, const struct record *record)
{
	struct records *records = &heap->records;

	if (records->count == HEAP_NONE - 1 || records->full || !reserve(heap))
		return HEAP_NONE;
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

	return heap->options.keep_records ? push(heap, &made) : HEAP_NONE;
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
	return push(heap, &made);
}

/* event is NULL when the release was not seen, or is not one by the program. */
void record_end(struct heap *heap, uint32_t id, enum record_state state, uint32_t thread,
	const struct trace_event *event)
{
	struct record *r;

	if (id == HEAP_NONE)
		return;
	r = record_at(heap, id);
	spill_touch(heap->spill, r);
	/* The first access is to be a write: reading a page that lies in a file would cost a fault more. */
	*(volatile uint64_t *)&r->free_stamp = event ? event->stamp : heap->now;
	r->size = pack(r->size, event ? event->op : 0, (uint8_t)state);
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
