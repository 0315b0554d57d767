/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a heap. */
#include "model/threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"

uint32_t thread_index(struct heap *heap, uint64_t serial)
{
	bool created;
	uint64_t *index = map_place(&heap->thread_by_serial, serial, &created);

	if (created) {
		struct thread made = { .first_stamp = UINT64_MAX };

		*index = heap->threads.count;
		vector_push(&heap->threads, made);
	}
	return (uint32_t)*index;
}

/* Its live blocks are leaked from now on; what it frees later still counts as freed. */
void thread_exit(struct heap *heap, uint32_t index, uint64_t stamp, uint64_t bytes)
{
	struct thread *thread = &heap->threads.items[index];

	thread->reported_bytes = bytes;
	thread->exit_stamp = stamp;
	if (!thread->exited)
		heap->exits++;
	thread->exited = true;
}

size_t thread_count(const struct heap *heap)
{
	return heap->threads.count;
}

struct leak {
	uint64_t count, bytes;
};

static struct leak leak_of(const struct heap *heap, uint32_t index)
{
	const struct thread *t = &heap->threads.items[index];
	const struct thread_books *blocks = &t->books[HEAP_BLOCKS];

	if (!thread_leaks(heap, index))
		return (struct leak){ 0, 0 };
	account_runtime((struct heap *)heap); /* only what follows from names is brought up to date */
	return (struct leak){ blocks->live - t->runtime_live, blocks->live_bytes - t->runtime_bytes };
}

/* The runtime's own part of what is left is not taken off: its leaks may be a little surer. */
static void thread_margin(const struct heap *heap, uint32_t index, struct heap_margin *out)
{
	struct noise_books books = *noise_of_thread(heap, index);

	if (thread_leaks(heap, index))
		books.leaked = books.live;
	noise_margin(&books, true, out);
	out->peak = out->peak_bytes = 0;
}

void thread_get(const struct heap *heap, uint32_t index, struct heap_thread *out)
{
	const struct thread *t = &heap->threads.items[index];
	const struct thread_books *blocks = &t->books[HEAP_BLOCKS], *pages = &t->books[HEAP_PAGES];
	struct leak leak = leak_of(heap, index);
	bool leaks = thread_leaks(heap, index);

	*out = (struct heap_thread){
		.index = index, .tid = t->tid,
		.name = intern_text(heap->modules.strings, t->name, NULL),
		.exited = t->exited,
		.exit_ns = t->exited ? heap_ns(heap, t->exit_stamp) : 0,
		.first_ns = t->first_stamp == UINT64_MAX ? 0 : heap_ns(heap, t->first_stamp),
		.last_ns = heap_ns(heap, t->last_stamp),
		.allocs = heap_count(heap, blocks->allocs), .alloc_bytes = heap_bytes(heap, blocks->alloc_bytes),
		.frees = heap_count(heap, blocks->frees), .freed_bytes = heap_bytes(heap, blocks->freed_bytes),
		.freed_by_others = heap_count(heap, t->freed_by_others),
		.freed_for_others = heap_count(heap, t->freed_for_others),
		.gone = heap_count(heap, blocks->allocs - blocks->frees - blocks->live),
		.gone_bytes = heap_bytes(heap, blocks->alloc_bytes - blocks->freed_bytes - blocks->live_bytes),
		.live = heap_count(heap, blocks->live), .live_bytes = heap_bytes(heap, blocks->live_bytes),
		.leaked = heap_count(heap, leak.count), .leaked_bytes = heap_bytes(heap, leak.bytes),
		.maps = heap_count(heap, pages->allocs), .map_bytes = heap_bytes(heap, pages->alloc_bytes),
		.live_maps = heap_count(heap, pages->live), .live_map_bytes = heap_bytes(heap, pages->live_bytes),
		.leaked_maps = leaks ? heap_count(heap, pages->live) : 0,
		.leaked_map_bytes = leaks ? heap_bytes(heap, pages->live_bytes) : 0,
		.temporary = t->temporary, .lost = t->lost, .reported_bytes = t->reported_bytes,
	};
	if (heap->sampling.on)
		thread_margin(heap, index, &out->margin);
}

struct sort_thread {
	const char *name;
	uint64_t key;
	uint32_t index;
	int turn;
};

static uint64_t amount(const struct heap *heap, uint32_t index, enum thread_column column)
{
	const struct thread *t = &heap->threads.items[index];

	switch (column) {
	case THREAD_BY_ALLOCATED:
		return t->books[HEAP_BLOCKS].alloc_bytes;
	case THREAD_BY_FREED:
		return t->books[HEAP_BLOCKS].alloc_bytes - t->books[HEAP_BLOCKS].live_bytes;
	case THREAD_BY_NET:
		return t->books[HEAP_BLOCKS].live_bytes;
	case THREAD_BY_LEAKS:
		return leak_of(heap, index).bytes;
	case THREAD_BY_TID:
		return UINT64_MAX - t->tid;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b)
{
	const struct sort_thread *x = a, *y = b;
	int order = x->name ? strcmp(x->name, y->name) : (x->key < y->key) - (x->key > y->key);

	if (!order)
		order = (x->index > y->index) - (x->index < y->index);
	return order * x->turn;
}

void thread_sort(const struct heap *heap, enum thread_column column, bool reverse, uint32_t *order)
{
	size_t count = heap->threads.count;
	struct sort_thread *rows = xcalloc(count ? count : 1, sizeof(*rows));

	for (uint32_t i = 0; i < count; i++) {
		rows[i].index = i;
		rows[i].turn = reverse ? -1 : 1;
		rows[i].key = amount(heap, i, column);
		if (column == THREAD_BY_NAME)
			rows[i].name = intern_text(heap->modules.strings, heap->threads.items[i].name, NULL);
	}
	qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++)
		order[i] = rows[i].index;
	free(rows);
}
