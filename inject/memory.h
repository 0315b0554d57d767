/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The target's memory.  No thread need be stopped.  What is written reaches read-only and
 * executable pages too, and never the file behind them.  After an exec nothing is reached any more:
 * -ESRCH; a new program is never written into. */
#ifndef INJECT_MEMORY_H
#define INJECT_MEMORY_H

#include "inject/process.h"

/* All bytes, or -errno (-EIO: not mapped); a write may then have been done in part. */
int memory_read(struct injection *, uint64_t address, void *data, size_t size);
int memory_write(struct injection *, uint64_t address, const void *data, size_t size);

/* As much as there is, up to size; the count, or -errno. */
ssize_t memory_read_some(struct injection *, uint64_t address, void *data, size_t size);

/* A string of less than size bytes, always terminated.  -ENAMETOOLONG: it was cut. */
int memory_read_string(struct injection *, uint64_t address, char *text, size_t size);

#endif
