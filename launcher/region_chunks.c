/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chunks of a region: following a thread's chain, giving consumed ones back. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/region.h"

#define PUSH_TRIES	1000	/* a target that writes the list's head all the time gets no chunk back */

static bool chunk_is(const struct region *r, uint32_t chunk, uint32_t slot, uint32_t ordinal)
{
	const struct channel_chunk *c = &r->chunks[chunk];

	return atomic_load_explicit(&c->owner, memory_order_acquire) == slot &&
	       atomic_load_explicit(&c->ordinal, memory_order_relaxed) == ordinal;
}

/* link: chunk index + 1 as read from shared memory. */
static bool chunk_enter(struct region *r, uint32_t link, uint32_t slot, struct region_thread *t)
{
	uint32_t chunk = link - 1;

	if (chunk >= r->chunks_max || r->held[chunk] || !chunk_is(r, chunk, slot, t->ordinal + 1)) {
		t->broken = true;
		r->broken++;
		return false;
	}
	r->held[chunk] = true;
	t->chunk = link;
	t->slot = 0;
	t->ordinal++;
	t->generation = channel_generation(r->uses[chunk]);
	atomic_store_explicit(&r->threads[slot].consumed, t->ordinal, memory_order_release);
	return true;
}

/* The chunk that a dead thread had taken and written but not linked yet; as a link, or 0. */
static uint32_t chunk_orphan(const struct region *r, uint32_t slot, const struct region_thread *t)
{
	uint64_t chunk;

	if (!r->final || !map_get(&r->orphans, (uint64_t)slot << 32 | (t->ordinal + 1), &chunk) || r->held[chunk])
		return 0;
	return (uint32_t)chunk + 1;
}

/* False when there is none yet; t->broken when it makes no sense. */
bool chunks_enter_first(struct region *r, uint32_t slot, struct region_thread *t)
{
	uint32_t link = atomic_load_explicit(&r->threads[slot].first_chunk, memory_order_acquire);

	if (!link)
		link = chunk_orphan(r, slot, t);
	return link && chunk_enter(r, link, slot, t);
}

/* Leaves the chunk that was read to its end for the next one. */
bool chunks_enter_next(struct region *r, uint32_t slot, struct region_thread *t)
{
	uint32_t link = atomic_load_explicit(&r->chunks[t->chunk - 1].next, memory_order_acquire);

	if (!link)
		link = chunk_orphan(r, slot, t);
	if (!link)
		return false;
	chunks_leave(r, t);
	return chunk_enter(r, link, slot, t);
}

static bool chunk_push(struct region *r, uint32_t chunk)
{
	uint64_t head = atomic_load_explicit(&r->shared->chunk_free, memory_order_relaxed);

	for (int i = 0; i < PUSH_TRIES; i++) {
		uint64_t mine = ((head >> 32) + 1) << 32 | (chunk + 1);

		atomic_store_explicit(&r->chunks[chunk].free_next, (uint32_t)head, memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(&r->shared->chunk_free, &head, mine,
							  memory_order_release, memory_order_relaxed))
			return true;
	}
	return false;
}

/* Gives t's chunk back; t has none then.  After the end nobody wants it. */
void chunks_leave(struct region *r, struct region_thread *t)
{
	uint32_t chunk = t->chunk - 1;
	struct channel_chunk *c = &r->chunks[chunk];

	t->chunk = 0;
	if (r->final)
		return;
	r->held[chunk] = false;
	r->uses[chunk]++;
	atomic_store_explicit(&c->next, 0, memory_order_relaxed);
	atomic_store_explicit(&c->ordinal, 0, memory_order_relaxed);
	atomic_store_explicit(&c->uses, r->uses[chunk], memory_order_release);
	if (!chunk_push(r, chunk))
		r->broken++;
	if (++r->returned >= 16)
		chunks_wake(r);
}

/* Producers that ran out of chunks sleep on drain_seq; it moves only when some do. */
void chunks_wake(struct region *r)
{
	if (!r->returned)
		return;
	r->returned = 0;
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&r->shared->waiters, memory_order_relaxed))
		return;
	atomic_fetch_add_explicit(&r->shared->drain_seq, 1, memory_order_seq_cst);
	syscall(SYS_futex, &r->shared->drain_seq, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Which chunks are taken by whom: a chunk given back has the ordinal 0. */
void chunks_find_orphans(struct region *r)
{
	uint32_t fresh = atomic_load_explicit(&r->shared->chunk_fresh, memory_order_acquire);

	if (fresh > r->chunks_max)
		fresh = r->chunks_max;
	for (uint32_t i = 0; i < fresh; i++) {
		uint32_t owner = atomic_load_explicit(&r->chunks[i].owner, memory_order_acquire);
		uint32_t ordinal = atomic_load_explicit(&r->chunks[i].ordinal, memory_order_relaxed);

		if (!r->held[i] && ordinal && owner < r->threads_max)
			map_put(&r->orphans, (uint64_t)owner << 32 | ordinal, i);
	}
}
