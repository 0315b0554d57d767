/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The live heap of what is traced, written into files by a child of ours, so that nothing waits for it.
 *
 *   main: marks the moment, forks ----> child: reads the trace up to the marker, writes FILE.snapshot-N.txt
 *         hears of the outcome <--------       one line through a pipe
 */
#ifndef LAUNCHER_SNAPSHOT_H
#define LAUNCHER_SNAPSHOT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"

struct tracer;

struct snapshot {
	pid_t child;
	int pipe;			/* readable when there is news of it; -1: none is at work */
	unsigned number;		/* of the newest */
	char *path;			/* its file; with more than one, the first */
	struct buffer said;
};

/* All zeros but: pipe is -1. */
void snapshot_init(struct snapshot *snapshot);

static inline bool snapshot_is_busy(const struct snapshot *snapshot)
{
	return snapshot->pipe >= 0;
}

/* Begins one.  0, or -errno with a reason in words, to which the caller has no duty. */
int snapshot_start(struct tracer *tracer, const char **reason);

/* After the pipe was readable: true, and *good and the text for people, when it is over. */
bool snapshot_hear(struct tracer *tracer, bool *good, struct buffer *text);

/* Ends the child, if there is one. */
void snapshot_release(struct snapshot *snapshot);

#endif
