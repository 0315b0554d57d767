/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking chunks, waiting for the launcher, noticing its end. */
#include "hook/ring.h"

#include <linux/futex.h>
#include <limits.h>
#include <stddef.h>
#include <time.h>

#include "hook/standalone.h"

#define NAP_MS		20	/* a waiter looks at the launcher's life this often */
#define STOPPED_NAPS	50	/* no heartbeat for a second: it is stopped */
#define WAKE_LEAST	16u	/* chunks */
#define WAKE_PART	256u	/* of the chunks that a thread has filled */

/* A launcher that is stopped (not dead) turns waiting into counted loss until it goes on. */
static _Atomic uint32_t gap;
static _Atomic uint32_t gap_heartbeat;

void ring_sleep(_Atomic uint32_t *word, uint32_t value, unsigned milliseconds)
{
	struct timespec t = { milliseconds / 1000, (long)(milliseconds % 1000) * 1000000 };

	raw_call(RAW_NR_futex, word, FUTEX_WAIT, value, &t, 0);
}

void ring_wake(_Atomic uint32_t *word)
{
	raw_call(RAW_NR_futex, word, FUTEX_WAKE, INT_MAX, 0, 0);
}

void ring_doorbell(bool force)
{
	if (!force && !hook.header->asleep)
		return;
	atomic_fetch_add(&hook.header->doorbell, 1);
	ring_wake(&hook.header->doorbell);
}

bool ring_launcher_lives(const struct channel_header *header)
{
	return !(header->owner & FUTEX_OWNER_DIED) && !header->closing;
}

static uint32_t pop_chunk(void)
{
	struct channel_region *r = hook.region;
	uint64_t head = r->chunk_free;
	uint32_t fresh;

	while ((uint32_t)head && (uint32_t)head <= hook.chunks_max) {
		uint64_t next = hook.chunk_headers[(uint32_t)head - 1].free_next |
				((head >> 32) + 1) << 32;

		if (atomic_compare_exchange_weak(&r->chunk_free, &head, next))
			return (uint32_t)head;
	}
	if (r->chunk_fresh >= hook.chunks_max)
		return 0;
	fresh = atomic_fetch_add(&r->chunk_fresh, 1);
	if (fresh < hook.chunks_max)
		return fresh + 1;
	atomic_fetch_sub(&r->chunk_fresh, 1);
	return 0;
}

void ring_give_chunk(uint32_t chunk)
{
	struct channel_region *r = hook.region;
	uint64_t head = r->chunk_free;

	do {
		hook.chunk_headers[chunk - 1].free_next = (uint32_t)head;
	} while (!atomic_compare_exchange_weak(&r->chunk_free, &head,
					       chunk | ((head >> 32) + 1) << 32));
}

/* Is the launcher known to be stopped since its heartbeat was last seen to move? */
static bool in_gap(void)
{
	if (!gap)
		return false;
	if (hook.header->heartbeat == gap_heartbeat)
		return true;
	gap = 0;
	return false;
}

/* May a thread whose current chunk has this ordinal take another one, and is there one? */
static bool has_room(const struct channel_thread *t, uint32_t ordinal)
{
	const struct channel_region *r = hook.region;
	uint32_t behind = ordinal - t->consumed;

	if (ordinal && behind >= hook.thread_chunks && (int32_t)behind >= 0)
		return false;
	return (uint32_t)r->chunk_free || r->chunk_fresh < hook.chunks_max;
}

struct patience {
	uint32_t heartbeat;	/* of the launcher, as last seen */
	unsigned naps;		/* since it moved */
};

/* False when waiting makes no sense: no launcher, or a stopped one. */
static bool worth_waiting(struct patience *p)
{
	uint32_t heartbeat = hook.header->heartbeat;

	if (!ring_launcher_lives(hook.header)) {
		core_stop("memtrack ended");
		return false;
	}
	if (in_gap())
		return false;
	if (p->heartbeat != heartbeat)
		*p = (struct patience){ heartbeat, 0 };
	if (p->naps++ < STOPPED_NAPS)
		return true;
	gap_heartbeat = heartbeat;
	gap = 1;
	return false;
}

/* The launcher moves drain_seq only when it sees waiters after it gave chunks back, so the look
 * for room comes between counting oneself in and sleeping. */
static void nap(struct channel_thread *t, uint32_t ordinal)
{
	struct channel_region *r = hook.region;
	uint32_t seq;

	atomic_fetch_add(&r->waiters, 1);
	seq = r->drain_seq;
	ring_doorbell(true);
	if (!has_room(t, ordinal))
		ring_sleep(&r->drain_seq, seq, NAP_MS);
	if (hook_tls_is(t, hook_life.now))	/* or it is not our count */
		atomic_fetch_sub(&r->waiters, 1);
}

/* How many chunks that nobody has read yet wake the drain.  A chunk that was never used before costs 36 us or more
 * (two pages), as much as waking somebody ten times: a short-lived thread does with few. */
static uint32_t wake_at(uint32_t ordinal)
{
	uint32_t part = ordinal / WAKE_PART;

	part = part < WAKE_LEAST ? WAKE_LEAST : part;
	return part < hook.wake_chunks ? part : hook.wake_chunks;
}

/* A free chunk for a thread whose current one has this ordinal; 0 when it may not have one. */
static uint32_t take_chunk(struct channel_thread *t, uint32_t ordinal)
{
	struct patience patience = { hook.header->heartbeat, 0 };
	bool beyond = false;

	for (bool first = true;; first = false) {
		uint32_t chunk = beyond || has_room(t, ordinal) ? pop_chunk() : 0;

		if (chunk) {
			if (ordinal - t->consumed >= wake_at(ordinal))
				ring_doorbell(false);
			return chunk;
		}
		if (hook.standalone) {
			if (!standalone_make_room(&beyond))
				return 0;
			continue;
		}
		if (hook.drop)
			return 0;
		if (first)
			atomic_fetch_add(&hook.region->stalls, 1);
		if (!worth_waiting(&patience))
			return 0;
		nap(t, ordinal);
		if (!hook_tls_is(t, hook_life.now))
			return 0;
	}
}

/* The pages are touched now, since a signal waits for the end of a page fault: a handler that forks comes
 * before the look at whose thread this is.  The second one of the events is left to those who may need it. */
static void touch(struct channel_chunk *c, uint32_t ordinal)
{
	struct channel_event *e = hook.events + (uint64_t)(c - hook.chunk_headers) * CHANNEL_CHUNK_SLOTS;

	atomic_fetch_or(&c->owner, 0);
	atomic_fetch_or(&e->tag, 0);
	if (ordinal)
		atomic_fetch_or(&e[CHANNEL_CHUNK_SLOTS - 1].tag, 0);
}

/* Behind chunk `old`, if that is still the current one: else a signal handler was faster. */
static void add_chunk(struct channel_thread *t, uint32_t chunk, uint32_t old, uint32_t ordinal)
{
	struct channel_chunk *c = &hook.chunk_headers[chunk - 1];
	uint64_t now = t->pos, fresh;

	c->owner = (uint32_t)(t - hook.threads);
	c->ordinal = ordinal + 1;
	fresh = CHANNEL_POS(chunk - 1, channel_generation(c->uses));
	do {
		if (CHANNEL_POS_CHUNK(now) != old) {
			if (hook_tls_is(t, hook_life.now))	/* or it has it, and this is a fork child */
				ring_give_chunk(chunk);
			return;
		}
	} while (!atomic_compare_exchange_strong(&t->pos, &now, fresh));
	atomic_store_explicit(old ? &hook.chunk_headers[old - 1].next : &t->first_chunk, chunk,
			      memory_order_release);
}

/* An event is lost.  Keeps the slot number from running over into the generation. */
static void lose(struct channel_thread *t, uint32_t old)
{
	uint64_t now = t->pos, fresh;

	atomic_store_explicit(&t->lost, t->lost + 1, memory_order_relaxed);
	if (CHANNEL_POS_CHUNK(now) == old && CHANNEL_POS_SLOT(now) > 2 * CHANNEL_CHUNK_SLOTS) {
		fresh = (now & ~0xffffull) | (CHANNEL_CHUNK_SLOTS + 1);
		atomic_compare_exchange_strong(&t->pos, &now, fresh);
	}
}

bool ring_next_chunk(struct channel_thread *t, uint64_t pos)
{
	uint32_t old = CHANNEL_POS_CHUNK(pos), ordinal, chunk;

	if (!hook_tls_is(t, hook_life.now))
		return false;
	ordinal = old ? hook.chunk_headers[old - 1].ordinal : 0;
	chunk = take_chunk(t, ordinal);
	if (chunk)
		touch(&hook.chunk_headers[chunk - 1], ordinal);
	if (!hook_tls_is(t, hook_life.now))
		return false;
	if (chunk)
		add_chunk(t, chunk, old, ordinal);
	else
		lose(t, old);
	return chunk != 0;
}

/* If the parent has the slot, too, the fork came just behind the reservation, and its event stays or is still
 * to come. */
void ring_disown(const struct channel_thread *t, uint64_t pos)
{
	const struct channel_header *h = hook.header;
	uint64_t at = (uint64_t)((const char *)t - (const char *)h) - h->region_offset;
	char *region = (char *)core_region((uint32_t)(at / h->region_bytes));	/* hook.region may be this child's */
	const struct channel_chunk *chunk = (void *)(region + hook.layout.chunk_headers);
	struct channel_event *e = (void *)(region + hook.layout.chunks);
	uint64_t tag;

	chunk += CHANNEL_POS_CHUNK(pos) - 1;
	e += (uint64_t)(CHANNEL_POS_CHUNK(pos) - 1) * CHANNEL_CHUNK_SLOTS + CHANNEL_POS_SLOT(pos);
	tag = e->tag;
	if (EVENT_TAG_GEN(tag) != CHANNEL_POS_GEN(pos) && channel_generation(chunk->uses) == CHANNEL_POS_GEN(pos))
		atomic_compare_exchange_strong(&e->tag, &tag, EVENT_TAG(0, OP_VOID, CHANNEL_POS_GEN(pos)));
}

void ring_repair(struct channel_thread *t)
{
	uint64_t pos = t->pos;
	uint32_t chunk = CHANNEL_POS_CHUNK(pos), n = CHANNEL_POS_SLOT(pos);
	uint32_t gen = CHANNEL_POS_GEN(pos);
	struct channel_event *e;

	t->pending = 0;
	if (!chunk)
		return;
	e = hook.events + (uint64_t)(chunk - 1) * CHANNEL_CHUNK_SLOTS;
	for (uint32_t i = 0; i < n && i < CHANNEL_CHUNK_SLOTS; i++) {
		if (EVENT_TAG_GEN(e[i].tag) != gen)
			atomic_store_explicit(&e[i].tag, EVENT_TAG(0, OP_VOID, gen),
					      memory_order_release);
	}
}
