/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small process that outlives memtrack: if memtrack is killed while a process is patched, it puts
 * the original bytes back. */
#ifndef LAUNCHER_KEEPER_H
#define LAUNCHER_KEEPER_H

#include <sys/types.h>

struct keeper {
	pid_t pid;		/* 0: there is none */
	int wire;		/* to it; O_CLOEXEC */
};

/* Starts it for a process; no other thread may run yet.  0 or -errno. */
int keeper_start(struct keeper *keeper, pid_t target);

/* The bytes are as they were: it ends.  Waits for that. */
void keeper_dismiss(struct keeper *keeper);

/* We go and the bytes are still patched: it goes on trying while the process lives. */
void keeper_leave(struct keeper *keeper);

#endif
