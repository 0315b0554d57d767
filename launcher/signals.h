/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals of the launcher: all are blocked and read from a descriptor, then passed on to the
 * target, but for those the target got from the terminal by itself. */
#ifndef LAUNCHER_SIGNALS_H
#define LAUNCHER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/types.h>

struct signals {
	int fd;				/* signalfd, non-blocking, O_CLOEXEC */
	sigset_t mask;			/* as memtrack was started with, for the target */
	struct sigaction chld, pipe, xfsz;
};

/* Blocks everything in this thread (and those started later).  0 or -errno. */
int signals_take(struct signals *signals);

/* In a forked child: everything as memtrack was started with.  Async-signal-safe. */
void signals_give_back(const struct signals *signals);

/* The next signal, without waiting: 0, or -EAGAIN. */
int signals_read(struct signals *signals, struct signalfd_siginfo *info);

/* Passes a signal on to pid when it was sent to memtrack alone, with its value if it has one. */
void signals_forward(const struct signalfd_siginfo *info, pid_t pid);

/* One by which people end programs: SIGINT, SIGTERM, SIGHUP, SIGQUIT. */
bool signals_ends(int signal);

/* Stops memtrack by the signal that stopped the target; returns when both were continued. */
void signals_mirror_stop(int signal);

/* Ends memtrack by the signal, so that a shell sees what it would have seen without memtrack. */
void signals_die_of(int signal);

#endif
