/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records into the text log.
 *
 * Events wait until a SYNC says that nothing older will come; then those up to it are sorted by
 * time (each thread's own order kept) and written.  What is not an event or a name has no place
 * in the log. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vector.h"
#include "launcher/sink.h"
#include "launcher/text_frames.h"
#include "trace/ops.h"
#include "trace/text_write.h"

#define WRITE_BYTES	(256u << 10)
#define PENDING_MAX	(2u << 20)	/* events; beyond, order across threads gives way to memory */

struct text_event {
	struct trace_event event;
	uint64_t sequence;
	uint32_t thread;
};

struct text_thread {
	char prefix[TEXT_PREFIX_MAX];
	size_t prefix_length;
	uint64_t total, hidden;
};

struct sink_text {
	struct sink sink;
	int fd;
	uint64_t written, sequence;
	struct trace_clock clock;
	struct buffer out;
	struct text_frames frames;
	VECTOR(struct text_thread) threads;	/* by serial */
	VECTOR(struct text_event) pending, ready;
};

static int text_write(struct sink_text *t)
{
	const char *data = t->out.data;
	size_t left = t->out.length;

	while (left) {
		ssize_t n = write(t->fd, data, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		data += n;
		left -= (size_t)n;
		t->written += (size_t)n;
	}
	buffer_clear(&t->out);
	return 0;
}

static struct text_thread *text_thread(struct sink_text *t, uint32_t serial)
{
	if (serial >= t->threads.count)
		vector_resize(&t->threads, serial + 1);
	return &t->threads.items[serial];
}

static uint64_t text_microseconds(const struct sink_text *t, uint64_t stamp)
{
	if (stamp < t->clock.base)
		return 0;
	return (uint64_t)((unsigned __int128)(stamp - t->clock.base) * t->clock.mult >> 32) / 1000;
}

static void put_line(struct sink_text *t, const struct text_thread *thread, const struct trace_event *e)
{
	struct buffer *out = &t->out;
	size_t n;

	buffer_reserve(out, TEXT_PREFIX_MAX + TEXT_EVENT_MAX);
	memcpy(out->data + out->length, thread->prefix, thread->prefix_length);
	n = text_event(out->data + out->length + thread->prefix_length, e->op, e->ptr, e->size,
		       text_microseconds(t, e->stamp), thread->total + thread->hidden);
	if (n)
		out->length += thread->prefix_length + n;
	out->data[out->length] = '\0';
}

static int put_event(struct sink_text *t, const struct text_event *te)
{
	const struct trace_event *e = &te->event;
	struct text_thread *thread = text_thread(t, te->thread);
	enum op_kind kind = op_kind(e->op);

	if (e->inner || kind == OP_KIND_FINDING)
		return 0;
	if (kind == OP_KIND_ALLOC || kind == OP_KIND_MAP)
		thread->total += e->size;
	put_line(t, thread, e);
	text_frames_write(&t->frames, e->stack, &t->out);
	return t->out.length >= WRITE_BYTES ? text_write(t) : 0;
}

static int by_time(const void *left, const void *right)
{
	const struct text_event *a = left, *b = right;

	if (a->event.stamp != b->event.stamp)
		return a->event.stamp < b->event.stamp ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static int text_sync(struct sink_text *t, uint64_t stamp)
{
	size_t kept = 0;
	int rc = 0;

	vector_clear(&t->ready);
	for (size_t i = 0; i < t->pending.count; i++) {
		if (t->pending.items[i].event.stamp <= stamp)
			vector_push(&t->ready, t->pending.items[i]);
		else
			t->pending.items[kept++] = t->pending.items[i];
	}
	t->pending.count = kept;
	if (t->ready.count)
		qsort(t->ready.items, t->ready.count, sizeof(*t->ready.items), by_time);
	for (size_t i = 0; i < t->ready.count && !rc; i++)
		rc = put_event(t, &t->ready.items[i]);
	return rc;
}

static int text_name(struct sink_text *t, const struct trace_thread *thread)
{
	struct text_thread *known = text_thread(t, thread->thread);

	known->prefix_length = text_prefix(known->prefix, thread->tid, thread->name.data, thread->name.length);
	return 0;
}

static void text_remark(struct sink_text *t, const char *line)
{
	buffer_append_string(&t->out, line);
	buffer_append_char(&t->out, '\n');
}

static void text_remark_about(struct sink_text *t, const char *head, const struct trace_string *text)
{
	buffer_append_string(&t->out, head);
	buffer_reserve(&t->out, text->length + 2);
	t->out.length += text_clean(t->out.data + t->out.length, text->data, text->length);
	buffer_append_char(&t->out, '\n');
}

static bool string_is(const struct trace_string *s, const char *text)
{
	return s->length == strlen(text) && memcmp(s->data, text, s->length) == 0;
}

static int text_fact(struct sink_text *t, const struct trace_fact *fact)
{
	if (string_is(&fact->key, "attached") && string_is(&fact->value, "1"))
		text_remark(t, TEXT_ATTACHED);
	if (string_is(&fact->key, "commands"))
		text_remark_about(t, TEXT_COMMANDS, &fact->value);
	if (string_is(&fact->key, "answer"))
		text_remark_about(t, TEXT_ANSWER, &fact->value);
	return 0;
}

/* All events up to its stamp are written already. */
static int text_marker(struct sink_text *t, const struct trace_marker *marker)
{
	char head[64];
	int rc = text_sync(t, marker->stamp);

	snprintf(head, sizeof(head), TEXT_MARKER "%llu ", (unsigned long long)text_microseconds(t, marker->stamp));
	text_remark_about(t, head, &marker->name);
	return rc;
}

static int text_pause(struct sink_text *t, const struct trace_pause *pause)
{
	int rc = text_sync(t, pause->stamp);

	buffer_printf(&t->out, "%s%llu" TEXT_UNRECORDED "%llu,%llu\n", pause->paused ? TEXT_PAUSED : TEXT_RESUMED,
		      (unsigned long long)text_microseconds(t, pause->stamp), (unsigned long long)pause->calls,
		      (unsigned long long)pause->bytes);
	return rc;
}

static int text_end(struct sink_text *t, const struct trace_end *end)
{
	int rc = text_sync(t, UINT64_MAX);

	if (end->how == TRACE_END_DETACH)
		text_remark(t, TEXT_DETACHED);
	return rc;
}

static int text_record(struct sink *s, enum trace_kind kind, const void *value)
{
	struct sink_text *t = (struct sink_text *)s;

	switch (kind) {
	case TRACE_CLOCK:
		t->clock = *(const struct trace_clock *)value;
		return 0;
	case TRACE_THREAD:
		return text_name(t, value);
	case TRACE_SYNC:
		return text_sync(t, ((const struct trace_sync *)value)->stamp);
	case TRACE_FACT:
		return text_fact(t, value);
	case TRACE_MARKER:
		return text_marker(t, value);
	case TRACE_PAUSE:
		return text_pause(t, value);
	case TRACE_END:
		return text_end(t, value);
	default:
		return 0;
	}
}

static int text_encoded(struct sink *s, const uint8_t *bytes, size_t length)
{
	(void)s, (void)bytes, (void)length;
	return 0;
}

static int text_stacks(struct sink *s, const struct trace_stack_node *nodes, size_t count)
{
	text_frames_add(&((struct sink_text *)s)->frames, nodes, count);
	return 0;
}

static int text_events(struct sink *s, uint32_t thread, const struct trace_event *events, size_t count)
{
	struct sink_text *t = (struct sink_text *)s;

	vector_reserve(&t->pending, t->pending.count + count);
	for (size_t i = 0; i < count; i++)
		vector_push(&t->pending, (struct text_event){ events[i], t->sequence++, thread });
	return t->pending.count > PENDING_MAX ? text_sync(t, UINT64_MAX) : 0;
}

static void text_hidden(struct sink *s, uint32_t thread, uint64_t bytes)
{
	text_thread((struct sink_text *)s, thread)->hidden = bytes;
}

static int text_flush(struct sink *s)
{
	return text_write((struct sink_text *)s);
}

static uint64_t text_written(const struct sink *s)
{
	return ((const struct sink_text *)s)->written;
}

static void text_free(struct sink *s)
{
	struct sink_text *t = (struct sink_text *)s;

	text_frames_release(&t->frames);
	buffer_release(&t->out);
	vector_release(&t->threads);
	vector_release(&t->pending);
	vector_release(&t->ready);
	free(t);
}

static const struct sink_ops text_ops = {
	.record = text_record,
	.encoded = text_encoded,
	.stacks = text_stacks,
	.events = text_events,
	.hidden = text_hidden,
	.flush = text_flush,
	.finish = text_flush,
	.written = text_written,
	.free = text_free,
};

struct sink *sink_text_new(int fd, const struct module_table *modules)
{
	struct sink_text *t = xcalloc(1, sizeof(*t));

	t->sink.ops = &text_ops;
	t->fd = fd;
	t->clock.mult = 1ull << 32;
	text_frames_init(&t->frames, modules);
	return &t->sink;
}

void sink_text_modules(struct sink *s, const struct module_table *modules)
{
	text_frames_modules(&((struct sink_text *)s)->frames, modules);
}
