/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for the order to be complete. */
#include "launcher/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/drain.h"

#define PATIENCE_NS	1000000000u	/* a thread may be in a call for ever */
#define TELL_NS		200000000u	/* how often the figures of a pause are written */

void mark_queue_add(struct mark_queue *m, const struct mark *mark)
{
	vector_push(&m->waiting, *mark);
}

static bool take(struct mark_queue *m, uint64_t safe_ticks, uint64_t now_ns, struct mark *mark)
{
	if (!m->waiting.count)
		return false;
	*mark = m->waiting.items[0];
	if (!m->all && mark->ticks > safe_ticks && now_ns - mark->since_ns < PATIENCE_NS)
		return false;
	memmove(m->waiting.items, m->waiting.items + 1, --m->waiting.count * sizeof(*m->waiting.items));
	return true;
}

static void count_unrecorded(const struct mark_queue *m, const struct channel_region *region, uint64_t *calls, uint64_t *bytes)
{
	*calls = m->calls;
	*bytes = m->bytes;
	for (unsigned i = 0; region && i < CHANNEL_UNRECORDED; i++) {
		*calls += atomic_load_explicit(&region->unrecorded[i].calls, memory_order_relaxed);
		*bytes += atomic_load_explicit(&region->unrecorded[i].bytes, memory_order_relaxed);
	}
}

void mark_queue_leave(struct mark_queue *m, const struct channel_region *region)
{
	count_unrecorded(m, region, &m->calls, &m->bytes);
}

void mark_queue_release(struct mark_queue *m)
{
	for (size_t i = 0; i < m->waiting.count; i++)
		free(m->waiting.items[i].name);
	vector_release(&m->waiting);
}

/* On the drain thread: the session's side of it. */

static void put_pause(struct session *s, uint64_t ticks)
{
	struct trace_pause pause = { .stamp = ticks >> s->shift, .paused = s->marks.paused };

	count_unrecorded(&s->marks, s->channel ? s->region.shared : NULL, &pause.calls, &pause.bytes);
	s->marks.told_calls = pause.calls;
	session_put(s, TRACE_PAUSE, &pause);
}

static void put_mark(struct session *s, struct mark *mark)
{
	struct trace_marker marker = { mark->ticks >> s->shift, trace_string(mark->name) };

	if (mark->is_pause) {
		s->marks.ever = true;
		s->marks.paused = mark->paused;
		put_pause(s, mark->ticks);
	} else {
		session_put(s, TRACE_MARKER, &marker);
		s->marks.named = mark->snapshot ? mark->snapshot : s->marks.named;
	}
	free(mark->name);
}

/* A call that was under way when the recording went on is counted a little later. */
static void put_figures(struct session *s)
{
	struct drain *d = s->drain;
	uint64_t calls, bytes;

	if (!s->marks.ever || (!s->marks.all && d->now_ns - s->flushed_ns < TELL_NS))
		return;
	count_unrecorded(&s->marks, s->channel ? s->region.shared : NULL, &calls, &bytes);
	if (calls != s->marks.told_calls)
		put_pause(s, d->now_ticks);
}

void session_put_marks(struct session *s)
{
	uint64_t safe = s->channel ? region_pass_end(&s->region) << s->shift : UINT64_MAX;
	struct mark mark;

	while (take(&s->marks, safe, s->drain->now_ns, &mark))
		put_mark(s, &mark);
	put_figures(s);
}

void session_put_named(struct session *s)
{
	char number[16];

	if (!s->marks.named || (s->symbols && !symbol_queue_idle(s->symbols)))
		return;
	session_put_symbols(s);
	snprintf(number, sizeof(number), "%u", s->marks.named);
	session_put_fact(s, "named", number);
	s->marks.named = 0;
}
