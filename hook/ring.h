/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread's event buffer: 8 KiB chunks from the region's pool, filled by their thread alone. */
#ifndef HOOK_RING_H
#define HOOK_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/core.h"
#include "hook/tls.h"
#include "trace/functions.h"

/* Slow side: replaces the chunk that pos says is full. True: try again; false: count as lost. */
bool ring_next_chunk(struct channel_thread *thread, uint64_t pos);

/* Voids the events that a longjmp left reserved. Called with the thread outside any other call. */
void ring_repair(struct channel_thread *thread);

/* Wakes the launcher if it sleeps (or, forced, in any case). */
void ring_doorbell(bool force);

/* Is the launcher alive and still recording? */
bool ring_launcher_lives(const struct channel_header *header);

/* A chunk that nobody reads or writes any more goes back to the region's free list. */
void ring_give_chunk(uint32_t chunk);

/* Wakes all who sleep on the word. */
void ring_wake(_Atomic uint32_t *word);

/* Futex wait on a shared word while it holds value, at most milliseconds. */
void ring_sleep(_Atomic uint32_t *word, uint32_t value, unsigned milliseconds);

/* The drain's core read these lines last: fetching them for writing takes as long as an event or
 * two, so it begins some events early.  perl without stacks: 70 -> 58 ns of wall time an event. */
#define RING_AHEAD 8

/* Publishes one event of the calling thread, which has none pending; safe against its own signal
 * handlers. */
static inline void ring_put(struct channel_thread *t, uint64_t stamp, uint64_t ptr, uint64_t size,
			    uint32_t stack, enum op op)
{
	t->pending = 1;
	atomic_signal_fence(memory_order_seq_cst);
	for (;;) {
		struct channel_event *e;
		uint64_t pos = raw_add_local(&t->pos, 1);
		uint32_t slot;

		slot = CHANNEL_POS_SLOT(pos);
		if (unlikely(slot >= CHANNEL_CHUNK_SLOTS || !CHANNEL_POS_CHUNK(pos))) {
			if (ring_next_chunk(t, pos))
				continue;
			atomic_store_explicit(&t->lost, t->lost + 1, memory_order_relaxed);
			break;
		}
		e = hook.events + (uint64_t)(CHANNEL_POS_CHUNK(pos) - 1) * CHANNEL_CHUNK_SLOTS + slot;
		raw_prefetch_write(e + RING_AHEAD);
		e->stamp = stamp;
		e->ptr = ptr;
		e->size = size;
		atomic_store_explicit(&e->tag, EVENT_TAG(stack, op, CHANNEL_POS_GEN(pos)),
				      memory_order_release);
		atomic_store_explicit(&t->last_stamp, stamp, memory_order_relaxed);
		break;
	}
	atomic_signal_fence(memory_order_seq_cst);
	t->pending = 0;
}

/* The same, whatever the thread is doing. */
static inline void ring_push(struct channel_thread *t, uint64_t stamp, uint64_t ptr, uint64_t size,
			     uint32_t stack, enum op op)
{
	uint64_t before = t->pending;

	if (unlikely(!hook_tls_is(t, hook_life.now)))
		return;
	ring_put(t, stamp, ptr, size, stack, op);
	t->pending = before;
}

#endif
