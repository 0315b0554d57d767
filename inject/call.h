/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One remote call from begin to end.  On the tracer only. */
#ifndef INJECT_CALL_H
#define INJECT_CALL_H

#include "inject/stop.h"

#define SCRATCH_SIZE	(1u << 20)
#define SCRATCH_DATA	(124u << 10)	/* for arguments; then 4 KiB for a table of system calls, then the stack */

/* Starts t->call, from a plain stop. */
int call_start(struct thread *);

/* Waits for its end; the thread is at a plain stop with its own registers again, except after
 * -ETIMEDOUT: then it is still in the call.  Other errors as remote_call. */
int call_finish(struct thread *, int deadline_ms);

#endif
