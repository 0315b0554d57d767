/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting the target: a child that waits until everything is ready for it, then executes with
 * exactly the world that memtrack was started in. */
#ifndef LAUNCHER_START_H
#define LAUNCHER_START_H

#include <sys/resource.h>
#include <sys/types.h>

#include "launcher/signals.h"

/* Limits that memtrack raises for itself and the target must not see. */
struct start_limits {
	struct rlimit files, size;
};

struct start {
	char **argv;			/* the target's */
	char **env;			/* its environment; start_environment makes it */
	const struct signals *signals;
	const struct capture *capture;	/* what it gets instead of the terminal; NULL: nothing */
	struct start_limits limits;
	pid_t pid;			/* out */
	int wire;			/* to the child: go, and what exec said; O_CLOEXEC */
	int wires[2];			/* the same and the child's end: it closes and uses them */
	void *stack;			/* the child's, in our memory until it executes */
	size_t stack_bytes;
};

/* Opens /dev/null (closed again by exec) where 0, 1 or 2 are closed, so that no descriptor of
 * ours takes a standard one's place.  First of all in main. */
void start_guard_descriptors(void);

/* Raises the soft limits of open files and file size to what is allowed. */
void start_raise_limits(struct start_limits *before);

/* A copy of our environment where LD_PRELOAD and the socket's name are set; NULL takes neither.
 * One block, for the caller to free; it points into environ. */
char **start_environment(const char *preload, const char *socket);

/* Makes the child, which waits for start_go: *start stays where it is until then.  0 or -errno. */
int start_fork(struct start *start);

/* Lets the child execute: 0 when it did or died by a signal before, else the -errno of exec (the
 * child is reaped then). */
int start_go(struct start *start);

/* The other way: nothing is executed, the child is gone. */
void start_cancel(struct start *start);

#endif
