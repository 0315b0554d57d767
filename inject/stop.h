/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One thread: seize, wait for its stops, let go.  On the tracer only. */
#ifndef INJECT_STOP_H
#define INJECT_STOP_H

#include "inject/tracer.h"

/* Seizes and interrupts.  *t is in the injection's list then.  -ESRCH: it is ending or gone; -EPERM. */
int stop_ask(struct injection *, pid_t tid, struct thread **t);

/* Takes up a stop if there is one: 1 stopped (or gone), 0 not yet. */
int stop_look(struct thread *);

/* Waits until it is stopped or gone.  -ETIMEDOUT, -ESRCH: gone. */
int stop_wait(struct thread *, struct patience *);

/* From any stop to the plain one that an interruption makes, where it can be used.  A signal that was about
 * to be delivered is. */
int stop_plain(struct thread *, struct patience *);

/* -EINTR: the thread does not run in the memory that was opened any more (an exec). */
int stop_check_memory(struct thread *);

/* Continues (PTRACE_CONT, PTRACE_SYSCALL) without a signal. */
int stop_continue(struct thread *, int request);

/* Whether the stop is the plain one; a call's begin or end; the execution of another program. */
bool stop_is_plain(const struct thread *);
bool stop_is_syscall(const struct thread *);

/* Detaches if that can be, and takes it out of the list. */
void stop_release(struct thread *);

#endif
