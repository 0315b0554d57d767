/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc says about a process. */
#ifndef LAUNCHER_PROCFS_H
#define LAUNCHER_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/format.h"

#define PROCFS_COMM	16

/* The kernel's name of a process, or of one of its threads; terminated.  0 or -errno. */
int procfs_comm(pid_t pid, char name[PROCFS_COMM]);

/* The path behind /proc/PID/exe.  0 or -errno. */
int procfs_exe(pid_t pid, char *path, size_t size);

/* The words of a process's command line, up to a few thousand bytes: a NULL-terminated array in one
 * block, for the caller to free.  NULL when it has none (gone, a zombie, a kernel thread). */
char **procfs_arguments(pid_t pid);

/* A variable of the environment that a process's image was started with; while the process is not to
 * be seen, of our own.  Never NULL, for the caller to free. */
char *procfs_variable(pid_t pid, const char *name);

/* State letter ('T' stopped, 'Z' zombie, ...) and parent of a process; either may be NULL. */
int procfs_state(pid_t pid, char *state, pid_t *parent);

/* Has the process ended, or does it just end?  Of one whose first thread alone is gone: no. */
bool procfs_ended(pid_t pid);

/* The process that thread tid belongs to; 0: there is none. */
pid_t procfs_process_of(pid_t tid);

/* It is under ptrace by a process whose name begins so. */
bool procfs_tracer_is(pid_t pid, const char *name);

/* The process is `ancestor` or descends from it. */
int procfs_descends(pid_t pid, pid_t ancestor);

/* Resident memory in kilobytes, from smaps_rollup, else from status; stamp is left alone.
 * 0, or -errno: the process is gone, or a zombie (-ESRCH). */
int procfs_rss(pid_t pid, struct trace_rss *rss);

#endif
