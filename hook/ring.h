/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread's event buffer: 8 KiB chunks from the region's pool, filled by their thread alone. */
#ifndef HOOK_RING_H
#define HOOK_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/core.h"
#include "hook/tls.h"
#include "trace/functions.h"

/* Slow side: replaces the chunk that pos says is full. False: no event will come of it; it is counted
 * as lost, unless thread is not the calling one any more. */
bool ring_next_chunk(struct channel_thread *thread, uint64_t pos);

/* Voids the events that a longjmp left reserved. Called with the thread outside any other call. */
void ring_repair(struct channel_thread *thread);

/* Wakes the launcher if it sleeps (or, forced, in any case). */
void ring_doorbell(bool force);

/* Is the launcher alive and still recording? */
bool ring_launcher_lives(const struct channel_header *header);

/* A fork child took the slot at pos from its parent's thread: it is void. */
void ring_disown(const struct channel_thread *thread, uint64_t pos);

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
 * handlers.  False: thread is not the calling one any more.  A handler forked since that was looked at, mostly
 * in the midst of a capture, and this is the child: it has reserved a slot of its parent's at worst. */
static inline bool ring_put(struct channel_thread *t, uint64_t stamp, uint64_t ptr, uint64_t size,
			    uint32_t stack, enum op op)
{
	t->pending = 1;
	atomic_signal_fence(memory_order_seq_cst);
	for (;;) {
		struct channel_event *e;
		uint64_t pos = raw_add_local(&t->pos, 1), tag = EVENT_TAG(stack, op, CHANNEL_POS_GEN(pos));
		uint32_t slot;

		slot = CHANNEL_POS_SLOT(pos);
		if (unlikely(slot >= CHANNEL_CHUNK_SLOTS || !CHANNEL_POS_CHUNK(pos))) {
			if (ring_next_chunk(t, pos))
				continue;
			if (!hook_tls_is(t, hook_life.now))
				return false;
			break;
		}
		e = hook.events + (uint64_t)(CHANNEL_POS_CHUNK(pos) - 1) * CHANNEL_CHUNK_SLOTS + slot;
		raw_prefetch_write(e + RING_AHEAD);
		/* All is in registers: as few instructions as can be lie between the look and the last store. */
		__asm__ volatile("" : "+r"(e), "+r"(tag), "+r"(stamp), "+r"(ptr), "+r"(size));
		if (unlikely(!hook_tls_is(t, hook_life.now))) {
			ring_disown(t, pos);
			return false;
		}
		e->stamp = stamp;
		e->ptr = ptr;
		e->size = size;
		atomic_store_explicit(&e->tag, tag, memory_order_release);
		atomic_store_explicit(&t->last_stamp, stamp, memory_order_relaxed);
		break;
	}
	atomic_signal_fence(memory_order_seq_cst);
	t->pending = 0;
	return true;
}

/* The same, whatever the thread is doing. */
static inline void ring_push(struct channel_thread *t, uint64_t stamp, uint64_t ptr, uint64_t size,
			     uint32_t stack, enum op op)
{
	uint64_t before = t->pending;

	if (unlikely(!hook_tls_is(t, hook_life.now)))
		return;
	if (likely(ring_put(t, stamp, ptr, size, stack, op)))
		t->pending = before;
}

#endif
