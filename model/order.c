/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From per-thread queues into one order by stamps.
 *
 * The order within a thread is certain and kept; between threads the stamps decide.  A SYNC says
 * up to which stamp everything has come.  Without one, what waits is bounded by PENDING_MAX.
 *
 * A run can be left after any batch (options.stop) and goes on exactly where it was. */
#include <stdlib.h>

#include "base/alloc.h"
#include "model/state.h"

#define PENDING_MAX	(1u << 20)
#define BATCH		256u
#define TRIM_BATCHES	4u	/* ends of old blocks touch records all over */
#define AHEAD		16u	/* events between a prefetch and its use */
#define AHEAD_SITE	8u	/* the same for what the first prefetch leads to */
#define QUEUE_KEEP	65536u	/* entries an empty queue may keep, when threads are few */
#define QUEUE_KEEP_MANY	1024u
#define THREADS_FEW	64u

struct merged {
	const struct trace_event *event;
	uint32_t thread;
};

struct merge {
	struct heap *heap;
	struct merged batch[BATCH];
	size_t count;
	bool stopped;
};

/* Threads by the stamp of their first waiting event: a binary heap. */
struct order_turn {
	uint64_t stamp;
	uint32_t thread;
};

/* Room for count more events of a thread; fill it and order_commit(). */
struct trace_event *order_reserve(struct heap *heap, uint32_t thread, size_t count)
{
	struct queue *queue = &heap->threads.items[thread].queue;

	vector_reserve(queue, queue->count + count);
	return queue->items + queue->count;
}

static uint64_t middle(const struct heap *heap)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < heap->order.active.count; i++) {
		const struct queue *q = &heap->threads.items[heap->order.active.items[i]].queue;

		if (q->items[q->head].stamp < low)
			low = q->items[q->head].stamp;
		if (q->items[q->count - 1].stamp > high)
			high = q->items[q->count - 1].stamp;
	}
	return high > low ? low + (high - low) / 2 : low;
}

bool order_bound(struct heap *heap)
{
	while (heap->order.pending > PENDING_MAX)
		if (!order_until(heap, heap->order.turns ? heap->order.until : middle(heap)))
			return false;
	return true;
}

void order_commit(struct heap *heap, uint32_t thread, size_t count)
{
	struct thread *t = &heap->threads.items[thread];

	if (!count)
		return;
	t->queue.count += count;
	heap->order.pending += count;
	if (!t->queued)
		vector_push(&heap->order.active, thread);
	t->queued = true;
}

/* The slot of the block, and the place that names the site. */
static void prefetch_first(const struct heap *heap, const struct trace_event *event)
{
	live_prefetch(&heap->live, event->ptr);
	if (event->stack < heap->site_of[HEAP_BLOCKS].count)
		__builtin_prefetch(&heap->site_of[HEAP_BLOCKS].items[event->stack]);
}

static void prefetch_record(const struct heap *heap, const struct live_block *block)
{
	uint32_t id = block_record_id(heap, block);
	const char *record;

	if (id == HEAP_NONE)
		return;
	record = (const char *)record_at(heap, id);
	__builtin_prefetch(record, 1);
	__builtin_prefetch(record + sizeof(struct record) - 1, 1);
}

/* What is at hand now leads to the site: of an allocation its stack, of a free its block, which has a
 * record, too. */
static void prefetch_site(const struct heap *heap, const struct trace_event *event)
{
	const struct live_block *block = &heap->live.slots[live_home(&heap->live, event->ptr)];
	uint32_t site = HEAP_NONE;

	if (block->ptr == event->ptr) {
		site = block->site;
		prefetch_record(heap, block);
	} else if (event->stack && event->stack < heap->site_of[HEAP_BLOCKS].count) {
		site = heap->site_of[HEAP_BLOCKS].items[event->stack] - 1;
	}
	if (site < heap->sites.count) {
		const char *line = (const char *)&heap->sites.items[site];

		__builtin_prefetch(line, 1);
		__builtin_prefetch(line + 64, 1);
	}
}

static void batch_apply(struct merge *m)
{
	struct heap *heap = m->heap;

	for (size_t i = 0; i < m->count && i < AHEAD; i++)
		prefetch_first(heap, m->batch[i].event);
	for (size_t i = 0; i < m->count; i++) {
		if (i + AHEAD < m->count)
			prefetch_first(heap, m->batch[i + AHEAD].event);
		if (i + AHEAD_SITE < m->count)
			prefetch_site(heap, m->batch[i + AHEAD_SITE].event);
		apply_event(heap, m->batch[i].thread, m->batch[i].event);
	}
	m->count = 0;
	if (++heap->order.batches % TRIM_BATCHES == 0)
		spill_trim(heap->spill);
}

static void sift_down(struct order_turn *turns, size_t count, size_t at)
{
	struct order_turn moved = turns[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && turns[child + 1].stamp < turns[child].stamp)
			child++;
		if (turns[child].stamp >= moved.stamp)
			break;
		turns[at] = turns[child];
		at = child;
	}
	turns[at] = moved;
}

/* Pass on events of a thread while none of another is older.  Returns false at its last one, or when
 * stopped. */
static bool run_thread(struct merge *m, uint32_t thread, uint64_t until, uint64_t *next)
{
	struct queue *queue = &m->heap->threads.items[thread].queue;

	while (queue->head < queue->count) {
		const struct trace_event *event = &queue->items[queue->head];

		if (event->stamp > until) {
			*next = event->stamp;
			return true;
		}
		m->batch[m->count++] = (struct merged){ event, thread };
		queue->head++;
		if (m->count == BATCH) {
			batch_apply(m);
			m->stopped = heap_is_stopped(m->heap);
			if (m->stopped)
				return false;
		}
	}
	return false;
}

static void turns_collect(struct heap *heap, uint64_t stamp)
{
	struct order_turn *turns = xmalloc(heap->order.active.count * sizeof(*turns));
	size_t count = 0;

	for (size_t i = 0; i < heap->order.active.count; i++) {
		uint32_t thread = heap->order.active.items[i];
		const struct queue *queue = &heap->threads.items[thread].queue;
		uint64_t first = queue->items[queue->head].stamp;

		if (first <= stamp)
			turns[count++] = (struct order_turn){ first, thread };
	}
	for (size_t i = count / 2; i-- > 0;)
		sift_down(turns, count, i);
	heap->order.turns = turns;
	heap->order.turn_count = count;
	heap->order.until = stamp;
}

static uint64_t second(const struct order_turn *turns, size_t count)
{
	if (count < 2)
		return UINT64_MAX;
	return count > 2 && turns[2].stamp < turns[1].stamp ? turns[2].stamp : turns[1].stamp;
}

/* Drop what was passed on; threads without waiting events leave the list. */
static void queues_trim(struct heap *heap)
{
	size_t keep = heap->threads.count > THREADS_FEW ? QUEUE_KEEP_MANY : QUEUE_KEEP;
	size_t kept = 0;

	heap->order.pending = 0;
	for (size_t i = 0; i < heap->order.active.count; i++) {
		uint32_t thread = heap->order.active.items[i];
		struct thread *t = &heap->threads.items[thread];
		struct queue *queue = &t->queue;

		memmove(queue->items, queue->items + queue->head,
			(queue->count - queue->head) * sizeof(*queue->items));
		queue->count -= queue->head;
		queue->head = 0;
		heap->order.pending += queue->count;
		if (queue->count) {
			heap->order.active.items[kept++] = thread;
			continue;
		}
		t->queued = false;
		if (queue->capacity > keep)
			vector_release(queue);
	}
	heap->order.active.count = kept;
}

/* Returns false when stopped: the thread whose turn it is keeps it. */
static bool take_turns(struct heap *heap)
{
	struct order_turn *turns = heap->order.turns;
	uint64_t stamp = heap->order.until;
	struct merge m;

	m.heap = heap;
	m.count = 0;
	m.stopped = false;
	while (heap->order.turn_count) {
		uint64_t until = second(turns, heap->order.turn_count);
		bool more = run_thread(&m, turns[0].thread, until < stamp ? until : stamp, &turns[0].stamp);

		if (m.stopped)
			return false;
		if (!more || turns[0].stamp > stamp)
			turns[0] = turns[--heap->order.turn_count];
		if (heap->order.turn_count)
			sift_down(turns, heap->order.turn_count, 0);
	}
	batch_apply(&m);
	return true;
}

bool order_until(struct heap *heap, uint64_t stamp)
{
	while (heap->order.turns && heap->order.until != stamp)
		order_until(heap, heap->order.until);
	if (!heap->order.active.count)
		return true;
	if (!heap->order.turns)
		turns_collect(heap, stamp);
	if (!take_turns(heap))
		return false;
	free(heap->order.turns);
	heap->order.turns = NULL;
	queues_trim(heap);
	return true;
}

void order_release(struct heap *heap)
{
	for (size_t i = 0; i < heap->threads.count; i++)
		vector_release(&heap->threads.items[i].queue);
	vector_release(&heap->order.active);
	free(heap->order.turns);
	heap->order.turns = NULL;
}
