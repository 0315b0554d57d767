/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What events do to the heap: ranges of pages. */
#include "model/state.h"

#define PAGE_BYTES	4096u

static uint64_t end_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

/* Make the records of a cut range: it becomes up to three, of which the middle one ends. */
static void cut_records(struct heap *heap, const struct live_range *whole, uint64_t low, uint64_t high,
	uint32_t thread, const struct trace_event *event, uint32_t *left, uint32_t *right)
{
	bool partial = low > whole->start || high < whole->end;
	uint32_t ended = whole->record;

	*left = *right = HEAP_NONE;
	if (low > whole->start)
		*left = record_piece(heap, whole->record, whole->start, low - whole->start);
	if (partial)
		ended = record_piece(heap, whole->record, low, high - low);
	if (high < whole->end)
		*right = record_piece(heap, whole->record, high, whole->end - high);
	record_end(heap, ended, RECORD_FREED, thread, event);
	if (partial)
		record_end(heap, whole->record, RECORD_SPLIT, HEAP_NONE, NULL);
}

static void cut_books(struct heap *heap, const struct live_range *whole, uint64_t low, uint64_t high,
	uint32_t thread, const struct trace_event *event)
{
	bool left = low > whole->start, right = high < whole->end;
	struct account a = account_of(heap, HEAP_PAGES, high - low, event->stamp);

	a.site = whole->site;
	a.thread = whole->thread;
	if (whole->inner) {
		account_inner(heap, 0, high - low, event->stamp);
		heap->totals[HEAP_INNER].live += (uint64_t)left + right - 1;
		return;
	}
	if (left && right)
		account_split(heap, &a);
	account_free(heap, &a, thread, !left && !right);
}

/* Take [start, end) out of all live ranges: unmapped, or mapped over. */
static void cut(struct heap *heap, uint32_t thread, const struct trace_event *event, uint64_t end)
{
	struct live_range *range;

	while ((range = ranges_overlap(&heap->ranges, event->ptr, end))) {
		struct live_range whole = *range, rest = *range;
		uint64_t low = whole.start > event->ptr ? whole.start : event->ptr;
		uint64_t high = whole.end < end ? whole.end : end;
		uint32_t left, right;

		cut_records(heap, &whole, low, high, thread, event, &left, &right);
		cut_books(heap, &whole, low, high, thread, event);
		rest.start = high;
		rest.record = right;
		if (low > whole.start) {
			range->end = low;
			range->record = left;
			if (high < whole.end)
				ranges_insert(&heap->ranges, &rest);
		} else if (high < whole.end) {
			*range = rest;
		} else {
			ranges_remove(&heap->ranges, range);
		}
	}
}

/* The program break moves by bytes, all else by whole pages, whatever length was asked for. */
static bool by_pages(uint8_t op)
{
	return op != OP_BRK && op != OP_SBRK && op != OP_BRK_UNMAP;
}

/* The end of what the event names; 0 when it names nothing. */
static uint64_t event_end(const struct trace_event *event)
{
	uint64_t end = end_of(event->ptr, event->size);

	if (!event->ptr || event->ptr == UINT64_MAX || !event->size)
		return 0;
	if (by_pages(event->op) && end <= UINT64_MAX - PAGE_BYTES)
		end = (end + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	return end;
}

void apply_map(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	struct trace_event whole = *event;
	struct live_range range = {
		.start = event->ptr, .end = event_end(event),
		.site = HEAP_NONE, .thread = thread, .record = HEAP_NONE,
		.inner = event->inner, .op = event->op,
	};
	struct account a = account_of(heap, HEAP_PAGES, range.end - range.start, event->stamp);

	if (!range.end)
		return;
	a.thread = thread;
	whole.size = range.end - range.start;
	cut(heap, thread, event, range.end);
	if (event->inner) {
		account_inner(heap, whole.size, 0, event->stamp);
	} else {
		range.site = a.site = account_site(heap, HEAP_PAGES, &whole, thread);
		range.record = record_new(heap, thread, &whole);
		account_alloc(heap, &a);
	}
	ranges_insert(&heap->ranges, &range);
}

/* An address inside a page makes munmap fail: nothing ends then. */
void apply_unmap(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	uint64_t end = event_end(event);

	if (end && !(by_pages(event->op) && event->ptr % PAGE_BYTES))
		cut(heap, thread, event, end);
}

void pages_exec(struct heap *heap, uint64_t stamp)
{
	for (size_t l = 0; l < heap->ranges.leaves.count; l++) {
		const struct ranges_leaf *leaf = heap->ranges.leaves.items[l];

		for (size_t i = 0; i < leaf->count; i++) {
			const struct live_range *range = &leaf->items[i];
			uint64_t size = range->end - range->start;
			struct account a = account_of(heap, HEAP_PAGES, size, stamp);

			if (range->inner) {
				account_inner(heap, 0, size, stamp);
				continue;
			}
			a.site = range->site;
			a.thread = range->thread;
			account_gone(heap, &a);
			record_end(heap, range->record, RECORD_GONE, HEAP_NONE, NULL);
		}
	}
	heap->totals[HEAP_INNER].live = 0;
	ranges_release(&heap->ranges);
	ranges_init(&heap->ranges);
}
