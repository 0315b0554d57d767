/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stopping the target's threads and letting them go.
 *
 * A thread that was interrupted in a system call which the kernel would not restart goes on as if
 * nothing had been; signals that arrive meanwhile are delivered once; a stopped process stays stopped. */
#ifndef INJECT_THREADS_H
#define INJECT_THREADS_H

#include "inject/process.h"

struct thread;

/* Stops all threads, also those that come into being meanwhile; those that were held already stay held.
 * -ETIMEDOUT, -ESRCH, -EPERM: none is held that was not before. */
int threads_hold_all(struct injection *, char reason[INJECTION_REASON]);

/* The same, with work done meanwhile and all let go afterwards.  It is the tracer that works, which is waked by nobody and
 * goes before other programs: on a busy machine that is the shorter stop.  Gives what work gave. */
typedef int threads_work(struct injection *, void *argument, char reason[INJECTION_REASON]);
int threads_with_all(struct injection *, threads_work *, void *argument, char reason[INJECTION_REASON]);

/* Stops one thread; the others run.  tid 0: any that can be stopped, those that cannot take nobody's time. */
int threads_hold(struct injection *, pid_t tid, struct thread **, char reason[INJECTION_REASON]);

/* A certain one, if it stops within ms. */
int threads_hold_for(struct injection *, pid_t tid, int ms, struct thread **, char reason[INJECTION_REASON]);

/* Lets go.  The pointer is void afterwards. */
void thread_release(struct thread *);
void threads_release_all(struct injection *);

/* The held threads, in no order.  A thread that was killed meanwhile stays in the list until it is
 * released. */
size_t threads_count(const struct injection *);
struct thread *threads_at(const struct injection *, size_t index);

pid_t thread_tid(const struct thread *);

/* Whether it can be used for a remote call: at a plain stop, not about to take a signal. */
bool thread_usable(const struct thread *);

#endif
