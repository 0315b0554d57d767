/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text log of a hook that runs alone: the events of the region's rings become lines.
 *
 * The capture path is the same as under the launcher.  A thread whose share of the log has
 * reached the buffer size after one of its calls becomes the consumer: it takes the flush word,
 * merges all threads' events up to a stamp below which nothing can follow, and writes.  Nobody
 * waits for the word but a thread whose ring is full.  A signal handler that interrupts its own
 * thread's flush leaves its events in the ring. */
#ifndef HOOK_LOG_H
#define HOOK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/log_file.h"
#include "trace/channel.h"
#include "trace/text_write.h"

#define LOG_OUT_BYTES	(1u << 20)	/* most that one write takes */

/* By thread slot. */
struct log_thread {
	/* The owner's. */
	uint64_t pos;		/* of its ring after its last call */
	uint64_t bytes;		/* it had allocated then */
	uint64_t text;		/* bytes of lines that its events will make, since it last flushed */
	uintptr_t control;	/* its thread control block */

	/* The consumer's. */
	uint32_t chunk, slot;	/* next event: index + 1 and slot; 0: none read yet */
	uint32_t generation;
	uint32_t name_seq, tid;
	uint64_t total;		/* bytes allocated up to the last line */
	uint64_t idle;		/* when it was last seen outside a call */
	uint64_t busy, busy_since;
	uint64_t probe_at, probe_wait;	/* flush at which to look whether it is gone; distance */
	bool exited;		/* its EXIT has been read */
	char prefix[TEXT_PREFIX_MAX];
	size_t prefix_length;
};

struct log {
	struct log_file file;
	bool own_file;		/* we made it: it may be cut */
	bool sandboxed;		/* the program gave up system calls, as far as can be told */
	bool through;		/* no buffering any more: the process is ending */
	uint64_t unit;		/* MEMTRACK_BUFFER_SIZE */
	uint64_t start;		/* stamp that counts as 0 */
	uint64_t flushes;
	struct log_thread *threads;

	char *out;		/* lines on their way: [sent, length), whole events up to `whole` */
	size_t length, sent, whole;
	uint64_t size;		/* of our own file */
	bool writing;		/* a write is under way */
};

extern struct log log_state __attribute__((visibility("hidden")));

/* Memory for it all, by hook.threads_max and hook.header's nodes_max. */
bool log_init(void);

bool log_flush_init(void);

enum log_how {
	LOG_SAFE,	/* what nothing older can follow any more */
	LOG_ALL,	/* everything: lines of threads in a call may come late */
	LOG_LAST,	/* the process ends: also those of a flush that this thread itself interrupts */
};

/* Turns events into lines and writes them. False: another flush is at it. */
bool log_flush(enum log_how how);

/* Is this thread inside a flush, below a signal handler? */
bool log_flushing_here(void);

/* The log cannot be written any more (or, error 0, need not): recording ends, told in one line. */
void log_end(long error);

#endif
