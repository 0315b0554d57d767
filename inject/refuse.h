/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a process cannot be entered, in a line with the remedy. */
#ifndef INJECT_REFUSE_H
#define INJECT_REFUSE_H

#include <stdbool.h>

#include "inject/status.h"

/* What can be told before anything is tried: -errno with the reason, 0: nothing speaks against it. */
int refuse_process(pid_t, const struct process_status *, char *reason);

/* The program is not one that memtrack can enter. */
int refuse_program(pid_t, char *reason);

/* The kernel said no to opening its memory: why.  Gives -EPERM. */
int refuse_permission(pid_t, const struct process_status *, char *reason);

/* It was started under memtrack. */
int refuse_preloaded(pid_t, char *reason);

/* Seccomp could end the process for a system call of ours, or (unless leaving) of the hook's; *suspended: the kernel will
 * let us switch it off meanwhile. */
int refuse_confined(const struct process_status *, bool leaving, bool *suspended, char *reason);

#endif
