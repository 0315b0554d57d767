/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sites, threads, class totals and time buckets: the books that every change goes through.
 *
 * The composition of the peak costs one comparison an event: each new peak gets a number (epoch).
 * A site that changes for the first time after a peak first puts aside what it was then.  So at
 * any time a site's part of the peak is the put-aside value if its epoch is the newest, and
 * what is live now if it has not changed since. */
#include "model/state.h"

static struct site *site_touch(struct heap *heap, enum heap_class class, uint32_t index)
{
	struct site *site = &heap->sites.items[index];
	uint64_t epoch = heap->totals[class].epoch;

	if (site->epoch != epoch) {
		site->epoch = epoch;
		site->peak = site->live;
		site->peak_bytes = site->live_bytes;
		if (heap->sampling.on)
			noise_put_aside(heap, index);
	}
	return site;
}

static uint32_t site_new(struct heap *heap, enum heap_class class, const struct trace_event *event,
	uint32_t thread)
{
	struct site made = {
		.epoch = heap->totals[class].epoch,
		.stack = event->stack >= STACK_FIRST ? event->stack : HEAP_NONE,
		.thread = thread,
		.class = (uint8_t)class,
		.op = event->op,
		.bucket = (uint8_t)op_bucket(event->op, event->size),
		.first_stamp = event->stamp,
	};

	vector_push(&heap->sites, made);
	return (uint32_t)heap->sites.count;
}

/* The site of an allocation, made when it is the first there. */
uint32_t account_site(struct heap *heap, enum heap_class class, const struct trace_event *event,
	uint32_t thread)
{
	uint32_t *place;

	if (event->stack >= STACK_FIRST) {
		if (event->stack >= heap->site_of[class].count)
			vector_resize(&heap->site_of[class], heap->stacks.nodes.count);
		place = &heap->site_of[class].items[event->stack];
	} else {
		place = &heap->site_of_op[event->op][op_bucket(event->op, event->size)];
	}
	if (!*place)
		*place = site_new(heap, class, event, thread);
	return *place - 1;
}

/* Returns whether this is a new peak. */
static bool total_grow(struct class_totals *total, const struct account *a)
{
	total->allocs += a->count;
	total->alloc_bytes += a->size;
	total->live += a->count;
	total->live_bytes += a->size;
	if (total->live_bytes <= total->peak_bytes)
		return false;
	total->peak_bytes = total->live_bytes;
	total->peak = total->live;
	total->peak_stamp = a->stamp;
	total->epoch++;
	return true;
}

static void bucket_alloc(struct heap *heap, const struct account *a)
{
	struct bucket *bucket = buckets_at(&heap->buckets, a->stamp);

	bucket->allocated += a->size;
	heap->buckets.live += a->size;
	if (heap->buckets.live > bucket->high)
		bucket->high = heap->buckets.live;
}

static void bucket_free(struct heap *heap, const struct account *a)
{
	struct bucket *bucket = buckets_at(&heap->buckets, a->stamp);

	/* What was alive when the bucket began counts for its highest, too. */
	if (heap->buckets.live > bucket->high)
		bucket->high = heap->buckets.live;
	bucket->freed += a->size;
	heap->buckets.live -= a->size;
}

static void thread_grow(struct thread *thread, const struct site *site, const struct account *a)
{
	struct thread_books *books = &thread->books[a->class];

	books->allocs += a->count;
	books->alloc_bytes += a->size;
	books->live += a->count;
	books->live_bytes += a->size;
	if (site->in_runtime) {
		thread->runtime_live += a->count;
		thread->runtime_bytes += a->size;
	}
}

static void thread_shrink(struct thread *thread, const struct site *site, const struct account *a,
	bool whole)
{
	struct thread_books *books = &thread->books[a->class];

	uint64_t count = whole ? a->count : 0;

	books->live -= count;
	books->live_bytes -= a->size;
	if (site->in_runtime) {
		thread->runtime_live -= count;
		thread->runtime_bytes -= a->size;
	}
}

void account_alloc(struct heap *heap, const struct account *a)
{
	struct site *site = site_touch(heap, a->class, a->site);
	struct thread *thread = &heap->threads.items[a->thread];
	bool peak;

	site->allocs += a->count;
	site->alloc_bytes += a->size;
	site->live += a->count;
	site->live_bytes += a->size;
	site->last_stamp = a->stamp;
	if (site->thread != a->thread)
		site->many_threads = true;
	thread_grow(thread, site, a);
	if (thread->leaks_counted) {
		site->leaked += a->count;
		site->leaked_bytes += a->size;
	}
	peak = total_grow(&heap->totals[a->class], a);
	if (peak) {
		heap->totals[a->class].peak_records = heap->records.count;
		heap->totals[a->class].peak_changes = heap->records.changes;
	}
	if (a->weight)
		noise_alloc(heap, a, peak, thread->leaks_counted);
	bucket_alloc(heap, a);
}

/* Take what ends off all books but "freed"; whole: a block or range is no more. */
static void leave(struct heap *heap, const struct account *a, bool whole)
{
	struct site *site = site_touch(heap, a->class, a->site);
	struct thread *thread = &heap->threads.items[a->thread];
	struct class_totals *total = &heap->totals[a->class];
	uint64_t count = whole ? a->count : 0;

	site->live -= count;
	site->live_bytes -= a->size;
	thread_shrink(thread, site, a, whole);
	total->live -= count;
	total->live_bytes -= a->size;
	if (thread->leaks_counted) {
		site->leaked -= count;
		site->leaked_bytes -= a->size;
	}
	if (a->weight)
		noise_leave(heap, a, thread->leaks_counted);
	bucket_free(heap, a);
}

void account_free(struct heap *heap, const struct account *a, uint32_t free_thread, bool whole)
{
	struct thread *thread = &heap->threads.items[a->thread];
	struct class_totals *total = &heap->totals[a->class];

	leave(heap, a, whole);
	heap->sites.items[a->site].fell = true;
	thread->books[a->class].frees += a->count;
	thread->books[a->class].freed_bytes += a->size;
	total->frees += a->count;
	total->freed_bytes += a->size;
	if (a->class == HEAP_BLOCKS && free_thread != HEAP_NONE && free_thread != a->thread) {
		thread->freed_by_others += a->count;
		heap->threads.items[free_thread].freed_for_others += a->count;
	}
}

void account_gone(struct heap *heap, const struct account *a)
{
	leave(heap, a, true);
	heap->totals[a->class].gone += a->count;
	heap->totals[a->class].gone_bytes += a->size;
	if (a->weight)
		noise_gone(heap, a);
}

void account_split(struct heap *heap, const struct account *a)
{
	struct site *site = site_touch(heap, a->class, a->site);
	struct thread *thread = &heap->threads.items[a->thread];

	site->live += a->count;
	thread->books[a->class].live += a->count;
	heap->totals[a->class].live += a->count;
	if (thread->leaks_counted)
		site->leaked += a->count;
}

/* The allocator's own pages: one total, in plain numbers, no site, no thread. */
void account_inner(struct heap *heap, uint64_t mapped, uint64_t unmapped, uint64_t stamp)
{
	struct class_totals *total = &heap->totals[HEAP_INNER];

	if (mapped) {
		struct account a = { .count = 1, .size = mapped, .stamp = stamp };

		total_grow(total, &a);
	}
	if (unmapped) {
		total->frees++;
		total->freed_bytes += unmapped;
		total->live_bytes -= unmapped;
	}
}
