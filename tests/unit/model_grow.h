/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For the tests of model/: a trace that grows, chunk by chunk of one file. */
#ifndef TESTS_UNIT_MODEL_GROW_H
#define TESTS_UNIT_MODEL_GROW_H

#include "tests/unit/model_build.h"

static struct store_writer *grow_writer;
static int grow_fd;
static uint64_t grow_fed;

/* The records since the last time, as the next chunk of one file. */
static inline void feed_grown(struct build *b, struct heap *heap)
{
	struct buffer bytes = BUFFER_INIT;
	size_t size;

	store_put(grow_writer, b->out.data, b->out.length, 1, b->stamp, b->events);
	store_flush(grow_writer);
	size = (size_t)(store_written(grow_writer) - grow_fed);
	buffer_reserve(&bytes, size);
	heap_feed(heap, bytes.data, (size_t)pread(grow_fd, bytes.data, size, (off_t)grow_fed));
	grow_fed += size;
	buffer_release(&bytes);
}

static inline void trace_open(struct build *b)
{
	build_init(b);
	grow_fd = memfd_create("trace", MFD_CLOEXEC);
	grow_writer = store_writer_new(grow_fd);
	grow_fed = 0;
}

static inline void trace_close(struct build *b)
{
	store_writer_free(grow_writer);
	close(grow_fd);
	free(b->out.data);
}

#endif
