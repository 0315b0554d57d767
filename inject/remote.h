/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls made by a held thread of the target, on a stack of their own.
 *
 * The thread is at its stop again afterwards, with all registers, vector state and signal mask as
 * they were; signals for it wait meanwhile.  No signal is used to end a call, so no disposition changes.  If
 * memtrack dies in the middle, the thread finishes the call and goes on where it was. */
#ifndef INJECT_REMOTE_H
#define INJECT_REMOTE_H

#include "inject/threads.h"

/* A system call.  0: *result is what it gave, -errno included.  Otherwise it was not made, or the thread is
 * gone (-ESRCH). */
int remote_syscall(struct injection *, struct thread *, long number, const uint64_t arguments[6],
		   int64_t *result);

/* The same for those that are to succeed: also what it gave, if that is an error.  value may be NULL. */
int remote_ask(struct injection *, struct thread *, long number, const uint64_t arguments[6], uint64_t *value);

/* What a system call gave: 0, or its -errno. */
int remote_error(int64_t result);

/* Many, one after the other whatever the results, for little more than the time of one. */
struct remote_system {
	int64_t number;
	uint64_t arguments[6];
	int64_t result;
};
#define REMOTE_SYSTEM_MAX	32u
int remote_syscalls(struct injection *, struct thread *, struct remote_system *calls, size_t count);

/* A function.  -ETIMEDOUT: it has not returned yet; the thread is still in it.
 * Releasing it then is safe: it returns to its own business by itself.  -EFAULT: it crashed (SIGSEGV ...);
 * the thread is as it was before.  -EINTR: the thread executed another program. */
int remote_call(struct injection *, struct thread *, uint64_t function, const uint64_t arguments[6],
		uint64_t *result, int deadline_ms);

/* Memory for arguments and results of remote calls: size bytes, 16-aligned, writable by the target;
 * made at the first use by the thread and gone when all threads are released. */
int remote_scratch(struct injection *, struct thread *, size_t size, uint64_t *address);

#endif
