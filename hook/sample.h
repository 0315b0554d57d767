/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which allocations are recorded when not all are: Poisson sampling over the bytes allocated.
 *
 * Points fall on the stream of a thread's bytes at random, one in `sample` bytes on average,
 * independent of each other; a block is recorded if one fell on it: with the probability
 * 1 - exp(-size / sample), whatever came before.  What is not recorded is counted, exactly. */
#ifndef HOOK_SAMPLE_H
#define HOOK_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/channel.h"
#include "trace/functions.h"

/* Counts an allocation; true: it is to be recorded. A size of 0 counts as one byte for chance. */
bool sample_alloc(struct channel_thread *thread, enum op op, uint64_t size);

/* Counts a release, or pages, which are all recorded. */
void sample_count(struct channel_thread *thread, enum op op, uint64_t size);

#endif
