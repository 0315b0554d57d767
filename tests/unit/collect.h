/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a .mtk file holds, for the drain's tests: counts, and rules that every trace must obey. */
#ifndef TESTS_UNIT_COLLECT_H
#define TESTS_UNIT_COLLECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/reader.h"
#include "trace/decode.h"
#include "trace/functions.h"

#define COLLECT_THREADS	4096u

struct collected_thread {
	uint32_t tid;
	char name[32];
	uint64_t events, exits, lost;
	uint64_t next;			/* the ptr that the next event with ordered ptrs should have */
	uint64_t breaks;		/* places where it had not */
	uint64_t last;			/* newest ptr */
};

struct collected {
	struct collected_thread threads[COLLECT_THREADS];
	uint32_t thread_count;
	uint64_t events, nodes, modules, module_ends, syncs, lost, execs, notes, children, rss, symbols, clocks, counters;
	uint64_t foreign_stacks;	/* events with a stack id that no node had before */
	uint64_t orphans;		/* nodes whose parent was not there */
	uint64_t nameless;		/* events of a thread that no THREAD told of */
	uint64_t late;			/* events stamped before a SYNC that stood in front of them */
	uint64_t synced;
	bool ended, damaged;
	struct trace_end end;
	uint8_t *seen;			/* by node id */
	size_t seen_bytes;
	char last_note[256];
};

static inline bool collect_known(const struct collected *c, uint32_t id)
{
	return id < 8 ? id <= 5 : id / 8 < c->seen_bytes && c->seen[id / 8] >> id % 8 & 1;
}

static inline void collect_node(struct collected *c, const struct trace_stack_node *n)
{
	c->nodes++;
	if (!collect_known(c, n->parent))
		c->orphans++;
	if (n->id / 8 >= c->seen_bytes) {
		size_t bytes = n->id / 4 + 4096;

		c->seen = realloc(c->seen, bytes);
		memset(c->seen + c->seen_bytes, 0, bytes - c->seen_bytes);
		c->seen_bytes = bytes;
	}
	c->seen[n->id / 8] |= (uint8_t)(1u << n->id % 8);
}

static inline void collect_event(struct collected *c, uint32_t thread, const struct trace_event *e)
{
	struct collected_thread *t = &c->threads[thread % COLLECT_THREADS];

	c->events++;
	t->events++;
	c->nameless += !t->tid;
	c->late += c->synced && e->stamp <= c->synced;
	c->foreign_stacks += e->stack && !collect_known(c, e->stack);
	if (e->op == OP_EXIT) {
		t->exits++;
		return;
	}
	if (e->ptr != t->next)
		t->breaks++;
	t->next = e->ptr + 1;
	t->last = e->ptr;
}

static inline void collect_events(struct collected *c, const struct trace_record *r)
{
	static struct trace_event events[TRACE_BATCH_MAX];
	uint32_t thread;
	int n = trace_get_events(r, &thread, events, TRACE_BATCH_MAX);

	c->damaged |= n < 0;
	for (int i = 0; i < n; i++)
		collect_event(c, thread, &events[i]);
}

static inline void collect_stacks(struct collected *c, const struct trace_record *r)
{
	static struct trace_stack_node nodes[TRACE_BATCH_MAX];
	int n = trace_get_stacks(r, nodes, TRACE_BATCH_MAX);

	c->damaged |= n < 0;
	for (int i = 0; i < n; i++)
		collect_node(c, &nodes[i]);
}

static inline void collect_thread(struct collected *c, const struct trace_record *r)
{
	struct trace_thread thread;
	struct collected_thread *t;
	size_t n;

	if (trace_get_thread(r, &thread)) {
		c->damaged = true;
		return;
	}
	t = &c->threads[thread.thread % COLLECT_THREADS];
	n = thread.name.length < sizeof(t->name) - 1 ? thread.name.length : sizeof(t->name) - 1;
	t->tid = thread.tid ? thread.tid : 1;
	memcpy(t->name, thread.name.data, n);
	t->name[n] = '\0';
	if (thread.thread > c->thread_count)
		c->thread_count = thread.thread;
}

static inline void collect_record(struct collected *c, const struct trace_record *r)
{
	struct trace_sync sync;
	struct trace_lost lost;
	struct trace_note note;

	switch (r->kind) {
	case TRACE_EVENTS: collect_events(c, r); break;
	case TRACE_STACKS: collect_stacks(c, r); break;
	case TRACE_THREAD: collect_thread(c, r); break;
	case TRACE_MODULE: c->modules++; break;
	case TRACE_MODULE_END: c->module_ends++; break;
	case TRACE_EXEC: c->execs++; break;
	case TRACE_CHILD: c->children++; break;
	case TRACE_RSS: c->rss++; break;
	case TRACE_SYMBOLS: c->symbols++; break;
	case TRACE_CLOCK: c->clocks++; break;
	case TRACE_COUNTERS: c->counters++; break;
	case TRACE_SYNC:
		c->syncs++;
		if (trace_get_sync(r, &sync) == 0)
			c->synced = sync.stamp;
		break;
	case TRACE_LOST:
		if (trace_get_lost(r, &lost) == 0) {
			c->lost += lost.count;
			c->threads[lost.thread % COLLECT_THREADS].lost += lost.count;
		}
		break;
	case TRACE_NOTE:
		c->notes++;
		if (trace_get_note(r, &note) == 0) {
			size_t n = note.text.length < 255 ? note.text.length : 255;

			memcpy(c->last_note, note.text.data, n);
			c->last_note[n] = '\0';
		}
		break;
	case TRACE_END:
		c->ended = trace_get_end(r, &c->end) == 0;
		break;
	default:
		break;
	}
}

/* Reads the file from its start. */
static inline void collect(struct collected *c, int fd)
{
	struct store_reader *reader = store_reader_new();
	struct chunk_summary summary;
	const uint8_t *records;
	static char bytes[1 << 16];
	size_t length;
	off_t at = 0;
	ssize_t n;
	int rc;

	memset(c, 0, sizeof(*c));
	while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		at += n;
		c->damaged |= store_feed(reader, bytes, (size_t)n) < 0;
		while ((rc = store_next(reader, &records, &length, &summary)) != 0) {
			struct trace_in in = { records, length, 0 };
			struct trace_record record;

			c->damaged |= rc < 0;
			while (rc > 0 && (rc = trace_next(&in, &record)) == 1)
				collect_record(c, &record);
			c->damaged |= rc < 0;
		}
	}
	store_reader_free(reader);
}

static inline void collect_release(struct collected *c)
{
	free(c->seen);
	c->seen = NULL;
}

#endif
