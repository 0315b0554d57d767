/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hook in a running process needs to be told of it. */
#ifndef LAUNCHER_ATTACH_REQUEST_H
#define LAUNCHER_ATTACH_REQUEST_H

#include <sys/types.h>

#include "trace/attach.h"

struct injection;

/* All but the segment and tid_offset.  0 or -errno. */
int attach_describe(const struct injection *, pid_t pid, struct attach_request *request);

/* A thread as its pid namespace numbers it, and its thread pointer. */
struct attach_thread {
	pid_t tid;
	uint64_t pointer;
};

/* Where in the thread control blocks the tid stands: the one place that holds its own tid in each of
 * these threads.  0: there is none, or more than one. */
int64_t attach_tid_offset(pid_t pid, const struct attach_thread *threads, size_t count);

#endif
