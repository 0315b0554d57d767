/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where /proc shows the memory, files and root of a process: under its own number only as long as its main
 * thread lives, while the process goes on as long as any thread does. */
#ifndef SYMBOLS_LIVING_H
#define SYMBOLS_LIVING_H

#include <stdbool.h>
#include <sys/types.h>

/* The thread is there, and no zombie. */
bool living_is(pid_t pid, pid_t tid);

/* A thread of the process that lives, the main one if it does; 0: there is none. */
pid_t living_thread(pid_t pid);

/* The same, or the process's own number: /proc/THAT shows what can be seen. */
pid_t living_proc(pid_t pid);

/* Opens /proc/THAT/FILE, close-on-exec.  A descriptor, or -errno. */
int living_open(pid_t pid, const char *file, int flags);

/* Where /proc/THAT/FILE points to; terminated.  0 or -errno. */
int living_link(pid_t pid, const char *file, char *path, size_t size);

#endif
