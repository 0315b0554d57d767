/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flattening by one sweep over the starts with a stack of the ranges that are open. */
#include "symbols/spans.h"

static int compare(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static void emit(struct span_index *index, uint64_t start, uint32_t value)
{
	if (index->count > 0 && vector_last(index).start == start)
		index->count--;
	if (index->count > 0 ? vector_last(index).value == value : value == SPAN_NONE)
		return;
	vector_push(index, (struct span_piece){ .start = start, .value = value });
}

/* Ends what ends at or before `until`; what lies below an ended range comes to light. */
static void close_until(struct span_list *open, struct span_index *index, uint64_t until)
{
	while (open->count > 0 && vector_last(open).end <= until) {
		uint64_t end = vector_last(open).end;

		while (open->count > 0 && vector_last(open).end <= end)
			open->count--;
		emit(index, end, open->count > 0 ? vector_last(open).value : SPAN_NONE);
	}
}

void span_flatten(struct span_list *spans, struct span_index *index)
{
	struct span_list open = { 0 };

	index->count = 0;
	if (spans->count > 1)
		qsort(spans->items, spans->count, sizeof(spans->items[0]), compare);
	for (size_t i = 0; i < spans->count; i++) {
		struct span s = spans->items[i];

		if (s.end <= s.start)
			continue;
		close_until(&open, index, s.start);
		/* One that ends first of all under it will never be seen again. */
		while (open.count > 0 && vector_last(&open).end <= s.end)
			open.count--;
		vector_push(&open, s);
		emit(index, s.start, s.value);
	}
	close_until(&open, index, UINT64_MAX);
	vector_release(&open);
}

/* The index of the last piece that starts at or before address, plus 1. */
static size_t rank_of(const struct span_index *index, uint64_t address)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (index->items[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t span_find(const struct span_index *index, uint64_t address)
{
	size_t rank = rank_of(index, address);

	return rank == 0 ? SPAN_NONE : index->items[rank - 1].value;
}

uint64_t span_piece_end(const struct span_index *index, uint64_t address)
{
	size_t rank = rank_of(index, address);

	return rank < index->count ? index->items[rank].start : UINT64_MAX;
}
