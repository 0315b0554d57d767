/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obeying. */
#include "launcher/orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "launcher/say.h"
#include "launcher/tracer.h"

#define MARKERS_MAX	10000u

/* A number makes two equal answers different ones. */
static void tell_traces(struct tracer *t, const char *text)
{
	char *value = xasprintf("%u %s", ++t->answers, text);

	for (size_t i = 0; i < t->all.count; i++)
		if (process_is_traced(t->all.items[i]))
			session_add_fact(t->all.items[i]->session, "answer", value);
	free(value);
}

static enum order_result set_marker(struct tracer *t, const char *name, struct buffer *text)
{
	uint64_t ticks = clock_ticks(&t->clock);

	if (t->markers == MARKERS_MAX) {
		buffer_append_string(text, "no marker: there are too many already");
		return ORDER_REFUSED;
	}
	t->markers++;
	for (size_t i = 0; i < t->all.count; i++)
		if (process_is_traced(t->all.items[i]))
			session_add_marker(t->all.items[i]->session, ticks, name);
	buffer_printf(text, "marker set");
	return ORDER_DONE;
}

/* Of a call that is stamped between the two, the trace tells as if it came before the pause. */
static enum order_result set_pause(struct tracer *t, bool paused, struct buffer *text)
{
	uint64_t ticks;

	buffer_append_string(text, paused ? "recording is paused" : "recording goes on");
	if (t->paused == paused)
		return ORDER_DONE;
	t->paused = paused;
	ticks = clock_ticks(&t->clock);
	heartbeat_pause(t->heartbeat, paused);
	if (paused)
		ticks = clock_ticks(&t->clock);
	for (size_t i = 0; i < t->all.count; i++)
		if (process_is_traced(t->all.items[i]))
			session_add_pause(t->all.items[i]->session, ticks, paused);
	return ORDER_DONE;
}

static enum order_result take_snapshot(struct tracer *t, struct buffer *text)
{
	const char *reason;

	if (snapshot_start(t, &reason) == 0)
		return ORDER_LATER;
	buffer_printf(text, "no snapshot: %s", reason);
	return ORDER_REFUSED;
}

enum order_result orders_obey(struct tracer *t, const struct wire_command *command, struct buffer *text)
{
	switch (command->kind) {
	case WIRE_MARK:
		return set_marker(t, command->name, text);
	case WIRE_PAUSE:
		return set_pause(t, true, text);
	case WIRE_RESUME:
		return set_pause(t, false, text);
	case WIRE_SNAPSHOT:
		return take_snapshot(t, text);
	}
	return ORDER_REFUSED;
}

void orders_obey_viewer(struct tracer *t, const struct wire_command *command)
{
	struct buffer text = BUFFER_INIT;

	if (orders_obey(t, command, &text) != ORDER_LATER)
		tell_traces(t, buffer_text(&text));
	buffer_release(&text);
}

bool orders_snapshot_over(struct tracer *t, bool *good, struct buffer *text)
{
	if (!snapshot_hear(t, good, text))
		return false;
	say_verbose("%s", buffer_text(text));
	tell_traces(t, buffer_text(text));
	return true;
}

void orders_join(struct tracer *t, struct process *p)
{
	if (t->paused && process_is_traced(p))
		session_add_pause(p->session, clock_ticks(&t->clock), true);
}
