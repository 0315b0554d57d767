/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that the kernel knows as the target's tracer.
 *
 * ptrace binds a target's thread to a thread of ours, not to our process, and unbinds it when ours ends,
 * whatever state it is in: that is the one way to let go of a thread that was asked to stop and
 * has not (a parent in vfork). */
#ifndef INJECT_TRACER_H
#define INJECT_TRACER_H

#include "inject/state.h"

#include <time.h>

int tracer_start(struct injection *);

/* Everything that is still seized is let go by the kernel. */
void tracer_stop(struct injection *);

/* Runs work on the tracer, and gives its result.  May be nested. */
typedef int tracer_fn(struct injection *, void *argument);
int tracer_do(struct injection *, tracer_fn *work, void *argument);

/* Waiting by looking again and again: first at once, then in steps that grow up to a millisecond.
 * ptrace has no wait with a time limit. */
struct patience {
	struct timespec end;
	unsigned turns;
};
void patience_start(struct patience *, int milliseconds);

/* false: the time is over. */
bool patience_wait(struct patience *);
bool patience_over(const struct patience *);

#endif
