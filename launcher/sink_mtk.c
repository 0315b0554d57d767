/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records into a .mtk file. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "launcher/sink.h"
#include "store/writer.h"
#include "trace/encode.h"

#define RUN_MAX		16384u		/* events in a record */
#define NODES_MAX	8192u		/* nodes in a record */
#define PUT_BYTES	(96u << 10)	/* collected before they are handed to the store */

struct sink_mtk {
	struct sink sink;
	struct store_writer *writer;
	struct trace_out out;		/* encoded, not handed over yet */
	uint64_t first_stamp, last_stamp, events;	/* of what out holds */
	bool opened;			/* the facts of the run are in a chunk of their own */
};

static void sink_breathe(void *owner)
{
	struct sink *s = owner;

	if (s->breathe)
		s->breathe(s->owner);
}

static void out_reserve(struct trace_out *out, size_t more)
{
	if (out->capacity - out->length >= more)
		return;
	out->capacity = out->length + more + out->capacity / 2;
	out->data = xrealloc(out->data, out->capacity);
}

static int mtk_put(struct sink_mtk *m)
{
	int rc;

	if (!m->out.length)
		return 0;
	rc = store_put(m->writer, m->out.data, m->out.length, m->first_stamp, m->last_stamp, m->events);
	m->out.length = 0;
	m->first_stamp = m->last_stamp = m->events = 0;
	return rc;
}

static int mtk_put_if_full(struct sink_mtk *m)
{
	return m->out.length >= PUT_BYTES ? mtk_put(m) : 0;
}

static void mtk_stamp(struct sink_mtk *m, uint64_t stamp)
{
	if (!m->first_stamp || stamp < m->first_stamp)
		m->first_stamp = stamp;
	if (stamp > m->last_stamp)
		m->last_stamp = stamp;
}

static int encode(struct trace_out *out, enum trace_kind kind, const void *value)
{
	switch (kind) {
	case TRACE_FACT: return trace_put_fact(out, value);
	case TRACE_CLOCK: return trace_put_clock(out, value);
	case TRACE_THREAD: return trace_put_thread(out, value);
	case TRACE_MODULE: return trace_put_module(out, value);
	case TRACE_MODULE_END: return trace_put_module_end(out, value);
	case TRACE_RSS: return trace_put_rss(out, value);
	case TRACE_RESIDENT: return trace_put_resident(out, value);
	case TRACE_SYNC: return trace_put_sync(out, value);
	case TRACE_LOST: return trace_put_lost(out, value);
	case TRACE_EXEC: return trace_put_exec(out, value);
	case TRACE_CHILD: return trace_put_child(out, value);
	case TRACE_RELATIVE: return trace_put_relative(out, value);
	case TRACE_NOTE: return trace_put_note(out, value);
	case TRACE_MARKER: return trace_put_marker(out, value);
	case TRACE_PAUSE: return trace_put_pause(out, value);
	case TRACE_COUNTERS: return trace_put_counters(out, value);
	case TRACE_END: return trace_put_end(out, value);
	default: return -EINVAL;
	}
}

/* A record that the format cannot hold (a path of 64 KiB) is left out. */
static int mtk_record(struct sink *s, enum trace_kind kind, const void *value)
{
	struct sink_mtk *m = (struct sink_mtk *)s;
	size_t room = 1024;

	out_reserve(&m->out, room);
	while (encode(&m->out, kind, value) == -ENOSPC) {
		room *= 4;
		out_reserve(&m->out, room);
	}
	return mtk_put_if_full(m);
}

static int mtk_encoded(struct sink *s, const uint8_t *bytes, size_t length)
{
	struct sink_mtk *m = (struct sink_mtk *)s;
	int rc = mtk_put(m);

	return rc ? rc : store_put(m->writer, bytes, length, 0, 0, 0);
}

static int mtk_flush(struct sink *s)
{
	struct sink_mtk *m = (struct sink_mtk *)s;
	int rc = mtk_put(m);

	return rc ? rc : store_flush(m->writer);
}

/* Closes the chunk of the facts, so that a file cut short still says what it is of. */
static int mtk_open(struct sink *s)
{
	struct sink_mtk *m = (struct sink_mtk *)s;

	if (m->opened)
		return 0;
	m->opened = true;
	return mtk_flush(s);
}

static size_t run_length(const struct trace_stack_node *nodes, size_t count)
{
	size_t n = 1;

	while (n < count && n < NODES_MAX && nodes[n].id == nodes[0].id + n)
		n++;
	return n;
}

static int mtk_stacks(struct sink *s, const struct trace_stack_node *nodes, size_t count)
{
	struct sink_mtk *m = (struct sink_mtk *)s;
	int rc = mtk_open(s);
	size_t n;

	for (; count && !rc; nodes += n, count -= n) {
		n = run_length(nodes, count);
		out_reserve(&m->out, trace_stacks_bound(n));
		rc = trace_put_stacks(&m->out, nodes, n);
		if (!rc)
			rc = mtk_put_if_full(m);
	}
	return rc;
}

static int mtk_events(struct sink *s, uint32_t thread, const struct trace_event *events, size_t count)
{
	struct sink_mtk *m = (struct sink_mtk *)s;
	int rc = mtk_open(s);
	size_t n;

	for (; count && !rc; events += n, count -= n) {
		sink_breathe(s);
		n = count < RUN_MAX ? count : RUN_MAX;
		out_reserve(&m->out, trace_events_bound(n));
		rc = trace_put_events(&m->out, thread, events, n);
		mtk_stamp(m, events[0].stamp);
		mtk_stamp(m, events[n - 1].stamp);
		m->events += n;
		if (!rc)
			rc = mtk_put_if_full(m);
	}
	return rc;
}

static int mtk_finish(struct sink *s)
{
	struct sink_mtk *m = (struct sink_mtk *)s;
	int rc = mtk_put(m);

	return rc ? rc : store_finish(m->writer);
}

static uint64_t mtk_written(const struct sink *s)
{
	return store_written(((const struct sink_mtk *)s)->writer);
}

static void mtk_free(struct sink *s)
{
	struct sink_mtk *m = (struct sink_mtk *)s;

	store_writer_free(m->writer);
	free(m->out.data);
	free(m);
}

static const struct sink_ops mtk_ops = {
	.record = mtk_record,
	.encoded = mtk_encoded,
	.stacks = mtk_stacks,
	.events = mtk_events,
	.flush = mtk_flush,
	.finish = mtk_finish,
	.written = mtk_written,
	.free = mtk_free,
};

static struct sink *sink_new(struct store_writer *writer)
{
	struct sink_mtk *m = xcalloc(1, sizeof(*m));

	m->sink.ops = &mtk_ops;
	m->writer = writer;
	store_writer_breathe(writer, sink_breathe, m);
	return &m->sink;
}

struct sink *sink_mtk_new(int fd)
{
	return sink_new(store_writer_new(fd));
}

struct sink *sink_mtk_join(struct store_stream *stream, uint32_t session)
{
	return sink_new(store_writer_join(stream, session));
}
