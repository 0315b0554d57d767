/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces for the tests of model/: records one by one, then as the bytes of a .mtk file. */
#ifndef TESTS_UNIT_MODEL_BUILD_H
#define TESTS_UNIT_MODEL_BUILD_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "model/heap.h"
#include "model/scan.h"
#include "store/writer.h"
#include "trace/encode.h"
#include "trace/functions.h"

#define BUILD_NS_PER_QUANTUM	50u
#define BUILD_BYTES_MAX		(32u << 20)

struct build {
	struct trace_out out;
	uint64_t stamp;		/* moves by itself: 100 quanta an event */
	uint64_t events;
};

static inline void build_init(struct build *b)
{
	struct trace_clock clock = { 0, (uint64_t)BUILD_NS_PER_QUANTUM << 32 };

	*b = (struct build){ .out = { xmalloc(BUILD_BYTES_MAX), 0, BUILD_BYTES_MAX }, .stamp = 1000 };
	trace_put_clock(&b->out, &clock);
}

static inline void build_fact(struct build *b, const char *key, const char *value)
{
	struct trace_fact fact = { trace_string(key), trace_string(value) };

	trace_put_fact(&b->out, &fact);
}

static inline void build_thread(struct build *b, uint32_t thread, const char *name)
{
	struct trace_thread t = { thread, 100 + thread, b->stamp, trace_string(name) };

	trace_put_thread(&b->out, &t);
}

static inline void build_at(struct build *b, uint32_t thread, uint64_t stamp, uint8_t op, uint64_t ptr,
	uint64_t size, uint32_t stack)
{
	struct trace_event event = { .stamp = stamp, .ptr = ptr, .size = size, .stack = stack, .op = op };

	trace_put_events(&b->out, thread, &event, 1);
	b->events++;
}

static inline void build_event(struct build *b, uint32_t thread, uint8_t op, uint64_t ptr, uint64_t size)
{
	build_at(b, thread, b->stamp += 100, op, ptr, size, 0);
}

static inline void build_stack_event(struct build *b, uint32_t thread, uint8_t op, uint64_t ptr,
	uint64_t size, uint32_t stack)
{
	build_at(b, thread, b->stamp += 100, op, ptr, size, stack);
}

static inline void build_inner(struct build *b, uint32_t thread, uint8_t op, uint64_t ptr, uint64_t size)
{
	struct trace_event event = { .stamp = b->stamp += 100, .ptr = ptr, .size = size, .op = op, .inner = 1 };

	trace_put_events(&b->out, thread, &event, 1);
	b->events++;
}

static inline void build_module(struct build *b, uint32_t module, uint64_t start, const char *path)
{
	struct trace_module m = {
		.module = module, .start = start, .end = start + 0x100000, .bias = start,
		.stamp = b->stamp, .path = trace_string(path),
	};

	trace_put_module(&b->out, &m);
}

static inline void build_node(struct build *b, uint32_t id, uint32_t parent, uint64_t pc)
{
	struct trace_stack_node node = { id, parent, 0, pc };

	trace_put_stacks(&b->out, &node, 1);
}

/* Names the return address start + offset of a module: function at file:line. */
static inline void build_symbol(struct build *b, uint32_t module, uint64_t offset, uint32_t string,
	const char *function, const char *file, uint32_t line)
{
	struct trace_string_def names[2] = {
		{ string, trace_string(function) }, { string + 1, trace_string(file) },
	};
	struct trace_symbol_frame frame = { string, string + 1, line };
	struct trace_symbols symbols = { module, offset - 1, 4, 1, &frame };

	trace_put_string(&b->out, &names[0]);
	trace_put_string(&b->out, &names[1]);
	trace_put_symbols(&b->out, &symbols);
}

static inline void build_sync(struct build *b)
{
	struct trace_sync sync = { b->stamp };

	trace_put_sync(&b->out, &sync);
}

static inline void build_end(struct build *b, enum trace_end_how how, uint32_t value)
{
	struct trace_end end = { b->stamp, how, value, b->events };

	build_sync(b);
	trace_put_end(&b->out, &end);
}

/* The records as a file in memory. */
static inline void build_file(const struct build *b, struct buffer *file)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct store_writer *w = store_writer_new(fd);
	size_t size;

	store_put(w, b->out.data, b->out.length, 1, b->stamp, b->events);
	store_finish(w);
	size = (size_t)store_written(w);
	store_writer_free(w);
	buffer_reserve(file, size);
	file->length = (size_t)pread(fd, file->data, size, 0);
	close(fd);
}

/* A heap fed with the file in pieces. */
static inline struct heap *build_feed(const void *bytes, size_t length, size_t piece, bool records)
{
	struct heap_options options = { .keep_records = records };
	struct heap *heap = heap_new(&options);

	for (size_t at = 0; at < length; at += piece)
		heap_feed(heap, (const char *)bytes + at, length - at < piece ? length - at : piece);
	return heap;
}

/* The whole way; ends and frees the builder. */
static inline struct heap *build_heap(struct build *b)
{
	struct buffer file = BUFFER_INIT;
	struct heap *heap;

	build_file(b, &file);
	heap = build_feed(file.data, file.length, 4096, true);
	heap_end(heap);
	buffer_release(&file);
	free(b->out.data);
	return heap;
}

/* The whole of a scan. */
static inline struct scan *scan_all(struct scan *scan)
{
	while (!scan_step(scan, SIZE_MAX))
		;
	return scan;
}

/* A small generator of numbers: the same in every run. */
static uint64_t build_seed = 88172645463325252ull;
static inline uint64_t build_random(uint64_t below)
{
	build_seed ^= build_seed << 13;
	build_seed ^= build_seed >> 7;
	build_seed ^= build_seed << 17;
	return build_seed % below;
}

#endif
