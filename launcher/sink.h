/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a session's records go: one const table of functions per output format.
 *
 * All calls are made by the drain thread, in the order of the trace.  Errors are -errno of the
 * output; after one, the session uses no sink any more. */
#ifndef LAUNCHER_SINK_H
#define LAUNCHER_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

struct module_table;
struct sink;
struct store_stream;

struct sink_ops {
	/* One record of a kind that has its own struct: value is a const struct trace_KIND *. */
	int (*record)(struct sink *s, enum trace_kind kind, const void *value);
	/* Whole encoded records (STRING, SYMBOLS). */
	int (*encoded)(struct sink *s, const uint8_t *bytes, size_t length);
	/* Nodes, parents before children; ids in runs. */
	int (*stacks)(struct sink *s, const struct trace_stack_node *nodes, size_t count);
	int (*events)(struct sink *s, uint32_t thread, const struct trace_event *events, size_t count);
	/* May be NULL: bytes that a thread allocated so far without events (min_size). */
	void (*hidden)(struct sink *s, uint32_t thread, uint64_t bytes);
	/* Everything so far goes out. */
	int (*flush)(struct sink *s);
	/* Nothing follows. */
	int (*finish)(struct sink *s);
	uint64_t (*written)(const struct sink *s);
	void (*free)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
	/* If not NULL: called every now and then while a call takes long. */
	void (*breathe)(void *owner);
	void *owner;
};

/* Writes a .mtk to fd, which stays the caller's. */
struct sink *sink_mtk_new(int fd);

/* Writes a session of a stream that others write to as well (store/writer.h). */
struct sink *sink_mtk_join(struct store_stream *stream, uint32_t session);

/* Writes the text log.  modules: where frames are looked up; sink_text_modules changes it after
 * an exec, when all events before it are flushed (TRACE_SYNC with the highest stamp). */
struct sink *sink_text_new(int fd, const struct module_table *modules);
void sink_text_modules(struct sink *s, const struct module_table *modules);

#endif
