/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A running process that memtrack is about to enter.
 *
 *	char reason[INJECTION_REASON];
 *	struct injection *i;
 *	int rc = injection_open(&i, pid, NULL, reason);	nothing is stopped yet
 *	threads_hold(i, 0, &thread, reason);		one thread, the others run
 *	remote_call(i, thread, ...);
 *	thread_release(thread);
 *	threads_hold_all(i, reason); ... threads_release_all(i);
 *	injection_close(i);				whatever is still held goes on
 *
 * Everything is done by a thread of our own, which is what the kernel knows as the tracer: when it ends
 * (close, or the death of memtrack) the kernel lets go of every thread, also of those that
 * never came to a stop.  What runs in the target meanwhile puts the thread's own state back by itself.
 * An injection is used by one thread of the caller at a time.  Functions return 0 or -errno and,
 * where there is a parameter for it, one line for people; nothing is printed.
 */
#ifndef INJECT_PROCESS_H
#define INJECT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define INJECTION_REASON	256u

struct injection;

/* Zero: the default. */
struct injection_options {
	int stop_ms;			/* how long threads may take to come to a stop; 2000 */
	bool leaving;			/* nothing is to be started in it, so less speaks against it */
};

/* Looks whether the process can be entered, and becomes ready to.  -ESRCH: there is none; -EPERM: not
 * allowed; -EBUSY: traced by somebody else; -ENOTSUP: cannot be done to such a process; reason says it
 * in one line with the remedy, without the words "cannot attach to PID".  options may be NULL. */
int injection_open(struct injection **, pid_t pid, const struct injection_options *, char reason[INJECTION_REASON]);

/* Lets everything go that is held.  NULL is allowed. */
void injection_close(struct injection *);

pid_t injection_pid(const struct injection *);

/* The number under which /proc shows the process's memory, files and root: its pid, or where its main thread has
 * ended (then nothing of these is seen there) a thread's. */
pid_t injection_proc(const struct injection *);

/* The pid that the process has in its own namespace. */
pid_t injection_pid_inside(const struct injection *);

/* Whether what was opened is no longer there: it ended, or executes another program. */
bool injection_gone(struct injection *);

/* The process was stopped (Ctrl-Z, SIGSTOP) when it was opened. */
bool injection_stopped(const struct injection *);

/* Opens for reading the file behind the mapping [start, end) called name, as the target has it.
 * A file descriptor, or -errno. */
int injection_open_mapped(const struct injection *, uint64_t start, uint64_t end, const char *name,
			  uint64_t inode);

#endif
