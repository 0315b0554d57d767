/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The consumer's side of the rings. */
#include "hook/log_cursor.h"

#include <stddef.h>

#include "hook/core.h"
#include "hook/log.h"
#include "hook/ring.h"

#define AHEAD	4u	/* events looked at for the earliest stamp */

static bool returned;	/* chunks came back since the last wake-up */

static const struct channel_event *event_at(const struct log_thread *l, uint32_t slot)
{
	return hook.events + (uint64_t)(l->chunk - 1) * CHANNEL_CHUNK_SLOTS + slot;
}

static bool is_published(const struct channel_event *e, uint32_t generation)
{
	return EVENT_TAG_GEN(atomic_load_explicit(&e->tag, memory_order_acquire)) == generation;
}

static void enter(struct log_thread *l, uint32_t slot, uint32_t link)
{
	const struct channel_chunk *c = &hook.chunk_headers[link - 1];

	l->chunk = link;
	l->slot = 0;
	l->generation = channel_generation(c->uses);
	atomic_store_explicit(&hook.threads[slot].consumed, c->ordinal, memory_order_release);
}

static void give_back(uint32_t chunk)
{
	struct channel_chunk *c = &hook.chunk_headers[chunk - 1];

	c->next = 0;
	c->ordinal = 0;
	c->uses++;
	ring_give_chunk(chunk);
	returned = true;
}

void cursor_leave(struct log_thread *l)
{
	uint32_t chunk = l->chunk;

	l->chunk = 0;
	if (chunk)
		give_back(chunk);
}

void cursor_wake(void)
{
	struct channel_region *r = hook.region;

	if (!returned)
		return;
	returned = false;
	atomic_thread_fence(memory_order_seq_cst);
	if (!r->waiters)
		return;
	atomic_fetch_add(&r->drain_seq, 1);
	ring_wake(&r->drain_seq);
}

/* Into the thread's first chunk, or the next one if this one is read to its end. */
static bool settle(struct log_thread *l, uint32_t slot)
{
	uint32_t link, old = l->chunk;

	if (old && l->slot < CHANNEL_CHUNK_SLOTS)
		return true;
	link = atomic_load_explicit(old ? &hook.chunk_headers[old - 1].next :
				    &hook.threads[slot].first_chunk, memory_order_acquire);
	if (!link)
		return false;
	enter(l, slot, link);
	if (old)
		give_back(old);
	return true;
}

static bool is_reserved(const struct log_thread *l, uint32_t slot)
{
	uint64_t pos = hook.threads[slot].pos;

	return CHANNEL_POS_CHUNK(pos) != l->chunk || CHANNEL_POS_SLOT(pos) > l->slot;
}

/* trace/channel.h tells when an event that is not there was abandoned. */
const struct channel_event *cursor_peek(struct log_thread *l, uint32_t slot)
{
	while (settle(l, slot)) {
		const struct channel_event *e = event_at(l, l->slot);

		if (is_published(e, l->generation))
			return e;
		if (!is_reserved(l, slot))
			return NULL;
		if (atomic_load_explicit(&hook.threads[slot].busy, memory_order_acquire))
			return NULL;
		if (is_published(e, l->generation))
			return e;
		l->slot++;
	}
	return NULL;
}

const struct channel_event *cursor_second(const struct log_thread *l)
{
	struct log_thread place = { .chunk = l->chunk, .generation = l->generation, .slot = l->slot + 1 };
	const struct channel_event *e;

	if (place.slot == CHANNEL_CHUNK_SLOTS) {
		place.chunk = hook.chunk_headers[l->chunk - 1].next;
		if (!place.chunk)
			return NULL;
		place.generation = channel_generation(hook.chunk_headers[place.chunk - 1].uses);
		place.slot = 0;
	}
	e = event_at(&place, place.slot);
	return is_published(e, place.generation) ? e : NULL;
}

uint64_t cursor_key(const struct log_thread *l)
{
	uint64_t key = event_at(l, l->slot)->stamp;

	for (uint32_t i = l->slot + 1; i < CHANNEL_CHUNK_SLOTS && i <= l->slot + AHEAD; i++) {
		const struct channel_event *e = event_at(l, i);

		if (!is_published(e, l->generation))
			break;
		if (e->stamp < key)
			key = e->stamp;
	}
	return key;
}

void cursor_take(struct log_thread *l)
{
	l->slot++;
}

bool cursor_empty(const struct log_thread *l, uint32_t slot)
{
	const struct channel_thread *t = &hook.threads[slot];
	uint64_t pos = t->pos;

	if (!l->chunk)
		return !t->first_chunk;
	if (l->slot == CHANNEL_CHUNK_SLOTS)
		return CHANNEL_POS_CHUNK(pos) == l->chunk && !hook.chunk_headers[l->chunk - 1].next;
	return CHANNEL_POS_CHUNK(pos) == l->chunk && CHANNEL_POS_SLOT(pos) <= l->slot;
}
