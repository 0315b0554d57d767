/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A segment as a launcher would make it, and what is in it afterwards. */
#ifndef TESTS_HOOK_ATTACH_SESSION_H
#define TESTS_HOOK_ATTACH_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/channel.h"
#include "trace/functions.h"

#define SESSION_THREADS	512u
#define SESSION_NODES	(1u << 14)
#define SESSION_CHUNKS	256u
#define SESSION_EVENTS	4096u

struct session {
	struct channel_header *header;
	struct channel_region *region;
	struct channel_thread *threads;
	struct channel_chunk *chunks;
	struct channel_event *events;
	struct depot_node *nodes;
	struct channel_module *modules;
	uint64_t bytes;
};

struct seen {
	uint32_t tid, slot, stack;
	unsigned op;
	uint64_t stamp, ptr, size;
};

/* At the place of an earlier one, if there is one. */
static inline struct session session_open(struct channel_header *before, uint32_t clock)
{
	struct channel_layout l = channel_layout(SESSION_THREADS, SESSION_NODES, SESSION_CHUNKS, true);
	struct channel_header *h;
	struct session s;
	char *base;
	int fd = memfd_create("memtrack-channel", MFD_CLOEXEC);

	s.bytes = channel_page_up(sizeof(*h)) + l.bytes;
	if (ftruncate(fd, (off_t)s.bytes))
		abort();
	h = mmap(before, s.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (before ? MAP_FIXED : 0), fd, 0);
	close(fd);
	if (h == MAP_FAILED)
		abort();
	h->magic = CHANNEL_MAGIC;
	h->version = CHANNEL_VERSION;
	h->segment_bytes = s.bytes;
	h->region_offset = channel_page_up(sizeof(*h));
	h->region_bytes = l.bytes;
	h->region_count = 1;
	h->nodes_max = SESSION_NODES;
	h->chunks_max = SESSION_CHUNKS;
	h->threads_max = SESSION_THREADS;
	h->settings = (struct channel_settings){
		.stack_depth = 32, .clock = clock, .findings = 1, .drop = 1, .thread_chunks = 64,
		.wake_chunks = 64,
	};
	base = (char *)h + h->region_offset;
	s.header = h;
	s.region = (void *)base;
	s.threads = (void *)(base + l.threads);
	s.chunks = (void *)(base + l.chunk_headers);
	s.events = (void *)(base + l.chunks);
	s.nodes = (void *)(base + l.nodes);
	s.modules = (void *)(base + l.modules);
	return s;
}

static inline void session_thread(const struct session *s, uint32_t slot, struct seen *out, unsigned *n)
{
	const struct channel_thread *t = &s->threads[slot];

	for (uint32_t chunk = t->first_chunk; chunk; chunk = s->chunks[chunk - 1].next) {
		const struct channel_event *e = &s->events[(chunk - 1) * CHANNEL_CHUNK_SLOTS];
		uint32_t generation = channel_generation(s->chunks[chunk - 1].uses);

		for (uint32_t i = 0; i < CHANNEL_CHUNK_SLOTS && *n < SESSION_EVENTS; i++)
			if (EVENT_TAG_GEN(e[i].tag) == generation)
				out[(*n)++] = (struct seen){ t->tid, slot, EVENT_TAG_STACK(e[i].tag),
					EVENT_TAG_OP(e[i].tag), e[i].stamp, e[i].ptr, e[i].size };
	}
}

/* All events, thread by thread. */
static inline unsigned session_events(const struct session *s, struct seen *out)
{
	unsigned n = 0;

	for (uint32_t slot = 0; slot < s->region->thread_fresh; slot++)
		session_thread(s, slot, out, &n);
	return n;
}

/* Does the stack reach its end, and does a frame lie in [function, function + bytes)?  top: the innermost
 * one is meant. */
static inline bool session_stack(const struct session *s, uint32_t id, const void *function, size_t bytes,
				 bool top)
{
	bool found = false, first = true;

	for (; id >= DEPOT_FIRST; id = s->nodes[id].parent, first = false)
		if (DEPOT_PC(s->nodes[id].frame) - (uintptr_t)function < bytes && (first || !top))
			found = true;
	return found && id == STACK_COMPLETE;
}

#endif
