/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sampled trace counted exactly: by thread, function and size bucket. */
#include "model/state.h"

void exact_release(struct exact_counts *exact)
{
	for (size_t i = 0; i < exact->threads.count; i++)
		vector_release(&exact->threads.items[i].cells);
	vector_release(&exact->threads);
}

static void put(struct exact_thread *t, const struct trace_counter *counter)
{
	for (size_t i = 0; i < t->cells.count; i++) {
		struct trace_counter *cell = &t->cells.items[i];

		if (cell->op == counter->op && cell->bucket == counter->bucket) {
			*cell = *counter;
			return;
		}
	}
	vector_push(&t->cells, *counter);
}

/* Counts are cumulative: a newer record replaces what an older one said of the same cells. */
void exact_take(struct heap *heap, uint32_t thread, const struct trace_counters *counters)
{
	struct exact_counts *exact = &heap->exact;
	struct exact_thread *t;

	if (thread >= exact->threads.count)
		vector_resize(&exact->threads, heap->threads.count);
	t = &exact->threads.items[thread];
	if (counters->stamp < t->stamp)
		return;
	t->stamp = counters->stamp;
	exact->known = true;
	for (uint32_t i = 0; i < counters->count; i++)
		put(t, &counters->cells[i]);
}

static void sum(const struct exact_thread *t, struct heap_exact *out)
{
	for (size_t i = 0; i < t->cells.count; i++) {
		const struct trace_counter *cell = &t->cells.items[i];

		switch (op_kind(cell->op)) {
		case OP_KIND_ALLOC:
			out->allocs += cell->count;
			out->alloc_bytes += cell->bytes;
			break;
		case OP_KIND_FREE:
			out->frees += cell->count;
			break;
		case OP_KIND_MAP:
			out->maps += cell->count;
			out->map_bytes += cell->bytes;
			break;
		default:
			break;
		}
	}
}

bool heap_exact(const struct heap *heap, uint32_t thread, struct heap_exact *out)
{
	*out = (struct heap_exact){ 0, 0, 0, 0, 0 };
	for (size_t i = 0; i < heap->exact.threads.count; i++)
		if (thread == HEAP_NONE || thread == i)
			sum(&heap->exact.threads.items[i], out);
	return heap->exact.known;
}

uint64_t heap_exact_cell(const struct heap *heap, uint8_t op, unsigned bucket, uint64_t *bytes)
{
	uint64_t count = 0;

	if (bytes)
		*bytes = 0;
	for (size_t t = 0; t < heap->exact.threads.count; t++)
		for (size_t i = 0; i < heap->exact.threads.items[t].cells.count; i++) {
			const struct trace_counter *cell = &heap->exact.threads.items[t].cells.items[i];

			if (cell->op != op || cell->bucket != bucket)
				continue;
			count += cell->count;
			if (bytes)
				*bytes += cell->bytes;
		}
	return count;
}
