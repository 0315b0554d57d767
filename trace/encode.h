/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of trace/format.h into bytes.  Freestanding: writes only where it is told to.
 *
 * Every encoder appends one whole record and returns 0, or appends nothing and returns -ENOSPC
 * (does not fit) or -EINVAL (the format cannot hold it: too many events or nodes, a string above
 * TRACE_STRING_MAX). */
#ifndef TRACE_ENCODE_H
#define TRACE_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

struct trace_out {
	uint8_t *data;
	size_t length, capacity;
};

int trace_put_fact(struct trace_out *out, const struct trace_fact *fact);
int trace_put_clock(struct trace_out *out, const struct trace_clock *clock);
int trace_put_thread(struct trace_out *out, const struct trace_thread *thread);
int trace_put_module(struct trace_out *out, const struct trace_module *module);
int trace_put_module_end(struct trace_out *out, const struct trace_module_end *end);
int trace_put_symbols(struct trace_out *out, const struct trace_symbols *symbols);
int trace_put_string(struct trace_out *out, const struct trace_string_def *string);
int trace_put_rss(struct trace_out *out, const struct trace_rss *rss);
int trace_put_resident(struct trace_out *out, const struct trace_resident *resident);
int trace_put_sync(struct trace_out *out, const struct trace_sync *sync);
int trace_put_lost(struct trace_out *out, const struct trace_lost *lost);
int trace_put_exec(struct trace_out *out, const struct trace_exec *exec);
int trace_put_child(struct trace_out *out, const struct trace_child *child);
int trace_put_relative(struct trace_out *out, const struct trace_relative *relative);
int trace_put_note(struct trace_out *out, const struct trace_note *note);
int trace_put_marker(struct trace_out *out, const struct trace_marker *marker);
int trace_put_pause(struct trace_out *out, const struct trace_pause *pause);
int trace_put_counters(struct trace_out *out, const struct trace_counters *counters);
int trace_put_end(struct trace_out *out, const struct trace_end *end);

/* Nodes of consecutive ids: nodes[i].id == nodes[0].id + i, else -EINVAL.  Needs
 * trace_stacks_bound(count) bytes of room whatever the nodes are. */
int trace_put_stacks(struct trace_out *out, const struct trace_stack_node *nodes, size_t count);
size_t trace_stacks_bound(size_t count);

/* A run of one thread's events, in its order; count <= TRACE_BATCH_MAX.  Needs
 * trace_events_bound(count) bytes of room whatever the events are.  count 0 appends nothing. */
int trace_put_events(struct trace_out *out, uint32_t thread, const struct trace_event *events,
		     size_t count);
size_t trace_events_bound(size_t count);

/* A string of a C string literal or any NUL-terminated text; refers to it. */
static inline struct trace_string trace_string(const char *text)
{
	struct trace_string s = { text, 0 };

	while (text && text[s.length])
		s.length++;
	return s;
}

#endif
