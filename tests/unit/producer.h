/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A producer for the drain's tests: writes a channel as trace/channel.h says the hook does, but
 * can be told to misbehave. */
#ifndef TESTS_UNIT_PRODUCER_H
#define TESTS_UNIT_PRODUCER_H

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "launcher/session.h"
#include "trace/functions.h"

struct producer {
	struct channel_header *header;
	struct channel_region *region;
	struct channel_thread *threads;
	struct channel_module *modules;
	struct depot_node *nodes;
	struct channel_chunk *chunks;
	struct channel_event *events;
	uint32_t threads_max, chunks_max;
};

/* An anonymous shared segment; fork children see the same pages. */
static inline struct session_channel producer_channel(uint32_t threads, uint32_t nodes, uint32_t chunks,
						      uint32_t regions)
{
	struct channel_layout l = channel_layout(threads, nodes, chunks, false);
	struct session_channel c = {
		.region_offset = channel_page_up(sizeof(struct channel_header)),
		.region_bytes = l.bytes, .region_count = regions,
		.nodes_max = nodes, .chunks_max = chunks, .threads_max = threads,
		.settings = { .thread_chunks = chunks / 2, .wake_chunks = chunks / 8 + 1, .clock = CLOCK_TSC },
	};

	c.segment_bytes = c.region_offset + regions * l.bytes;
	c.header = mmap(NULL, c.segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
			-1, 0);
	return c;
}

static inline void producer_channel_free(struct session_channel *c)
{
	munmap(c->header, c->segment_bytes);
}

static inline struct producer producer_view(const struct session_channel *c, unsigned region)
{
	struct channel_layout l = channel_layout(c->threads_max, c->nodes_max, c->chunks_max, false);
	char *base = (char *)c->header + c->region_offset + region * c->region_bytes;

	return (struct producer){
		.header = c->header,
		.region = (struct channel_region *)base,
		.threads = (struct channel_thread *)(base + l.threads),
		.modules = (struct channel_module *)(base + l.modules),
		.nodes = (struct depot_node *)(base + l.nodes),
		.chunks = (struct channel_chunk *)(base + l.chunk_headers),
		.events = (struct channel_event *)(base + l.chunks),
		.threads_max = c->threads_max, .chunks_max = c->chunks_max,
	};
}

/* What the hook does when it starts, or a fork child when it claims a region. */
static inline void producer_claim(struct producer *p)
{
	p->region->pid = (uint32_t)getpid();
	p->region->parent_pid = (uint32_t)getppid();
	p->region->node_fresh = DEPOT_FIRST;
	p->region->start_stamp = __builtin_ia32_rdtsc();
	atomic_store(&p->region->state, REGION_READY);
}

static inline uint64_t producer_stamp(void)
{
	return __builtin_ia32_rdtsc();
}

static inline uint32_t producer_pop_chunk(struct producer *p)
{
	uint64_t head = p->region->chunk_free;
	uint32_t fresh;

	while ((uint32_t)head) {
		uint64_t next = p->chunks[(uint32_t)head - 1].free_next | ((head >> 32) + 1) << 32;

		if (atomic_compare_exchange_weak(&p->region->chunk_free, &head, next))
			return (uint32_t)head;
	}
	fresh = atomic_fetch_add(&p->region->chunk_fresh, 1);
	if (fresh < p->chunks_max)
		return fresh + 1;
	atomic_fetch_sub(&p->region->chunk_fresh, 1);
	return 0;
}

static inline void producer_wait(struct producer *p, uint32_t seq)
{
	struct timespec t = { 0, 20000000 };

	atomic_fetch_add(&p->region->waiters, 1);
	atomic_fetch_add(&p->header->doorbell, 1);
	syscall(SYS_futex, &p->header->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	syscall(SYS_futex, &p->region->drain_seq, FUTEX_WAIT, seq, &t, NULL, 0);
	atomic_fetch_sub(&p->region->waiters, 1);
}

static inline uint32_t producer_take_chunk(struct producer *p)
{
	for (bool first = true;; first = false) {
		uint32_t seq = p->region->drain_seq, chunk = producer_pop_chunk(p);

		if (chunk)
			return chunk;
		if (first)
			atomic_fetch_add(&p->region->stalls, 1);
		producer_wait(p, seq);
	}
}

/* link: the last step, which a death may come before. */
static inline void producer_next_chunk(struct producer *p, struct channel_thread *t, uint64_t pos, bool link)
{
	uint32_t old = CHANNEL_POS_CHUNK(pos), ordinal = old ? p->chunks[old - 1].ordinal : 0;
	uint32_t chunk = producer_take_chunk(p);
	struct channel_chunk *c = &p->chunks[chunk - 1];

	c->owner = (uint32_t)(t - p->threads);
	c->ordinal = ordinal + 1;
	t->pos = CHANNEL_POS(chunk - 1, channel_generation(c->uses));
	if (link)
		atomic_store(old ? &p->chunks[old - 1].next : &t->first_chunk, chunk);
	if (p->header->asleep && ordinal - t->consumed >= 4) {
		atomic_fetch_add(&p->header->doorbell, 1);
		syscall(SYS_futex, &p->header->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

/* Reserves a slot and does not publish it. */
static inline struct channel_event *producer_reserve(struct producer *p, struct channel_thread *t, uint32_t *gen)
{
	for (;;) {
		uint64_t pos = t->pos;

		if (CHANNEL_POS_CHUNK(pos) && CHANNEL_POS_SLOT(pos) < CHANNEL_CHUNK_SLOTS) {
			t->pos = pos + 1;
			*gen = CHANNEL_POS_GEN(pos);
			return &p->events[(size_t)(CHANNEL_POS_CHUNK(pos) - 1) * CHANNEL_CHUNK_SLOTS +
					  CHANNEL_POS_SLOT(pos)];
		}
		producer_next_chunk(p, t, pos, true);
	}
}

static inline void producer_publish(struct channel_event *e, uint32_t gen, uint64_t stamp, uint64_t ptr,
				    uint64_t size, uint32_t stack, unsigned op)
{
	e->stamp = stamp;
	e->ptr = ptr;
	e->size = size;
	atomic_store_explicit(&e->tag, EVENT_TAG(stack, op, gen), memory_order_release);
}

static inline void producer_push(struct producer *p, struct channel_thread *t, uint64_t ptr, uint64_t size,
				 uint32_t stack, unsigned op)
{
	uint64_t stamp = producer_stamp();
	uint32_t gen;
	struct channel_event *e;

	atomic_store_explicit(&t->busy, stamp, memory_order_seq_cst);
	e = producer_reserve(p, t, &gen);
	producer_publish(e, gen, producer_stamp(), ptr, size, stack, op);
	atomic_store_explicit(&t->last_stamp, stamp, memory_order_relaxed);
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

/* A slot for the calling thread; NULL when there is none now. */
static inline struct channel_thread *producer_thread(struct producer *p, const char *name)
{
	uint64_t head = p->region->thread_free;
	struct channel_thread *t = NULL;

	while ((uint32_t)head && !t) {
		struct channel_thread *first = &p->threads[(uint32_t)head - 1];

		if (atomic_compare_exchange_weak(&p->region->thread_free, &head,
						 first->free_next | ((head >> 32) + 1) << 32))
			t = first;
	}
	if (!t) {
		uint32_t fresh = atomic_fetch_add(&p->region->thread_fresh, 1);

		if (fresh >= p->threads_max) {
			atomic_fetch_sub(&p->region->thread_fresh, 1);
			return NULL;
		}
		t = &p->threads[fresh];
	}
	atomic_fetch_add(&t->life, 1);
	t->pos = 0;
	t->first_chunk = 0;
	t->consumed = 0;
	t->lost = 0;
	t->bytes = 0;
	t->name_seq = 0;
	t->tid = (uint32_t)syscall(SYS_gettid);
	if (name) {
		strncpy(t->name, name, sizeof(t->name) - 1);
		t->name_seq = 2;
	}
	t->state = THREAD_LIVE;
	atomic_fetch_add(&t->life, 1);
	return t;
}

static inline void producer_exit(struct producer *p, struct channel_thread *t)
{
	producer_push(p, t, 0, t->bytes, STACK_NONE, OP_EXIT);
	t->state = THREAD_EXITED;
}

/* A new node; hole: its frame stays unwritten. */
static inline uint32_t producer_node(struct producer *p, uint32_t parent, uint64_t frame, bool hole)
{
	uint32_t id = atomic_fetch_add(&p->region->node_fresh, 1);

	p->nodes[id].parent = parent;
	p->nodes[id].flags = 0;
	if (!hole)
		atomic_store(&p->nodes[id].frame, frame);
	return id;
}

#endif
