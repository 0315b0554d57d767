/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtrack --pid PID detach|status|pause ...: asking the memtrack that traces a process. */
#ifndef LAUNCHER_VERBS_H
#define LAUNCHER_VERBS_H

#include <sys/types.h>

#include "wire/command.h"

/* Each returns an exit status. */

/* Ends the tracing and waits until the trace is complete; puts back what a memtrack left that was
 * killed.  0, or EXIT_FAILED. */
int verb_detach(pid_t pid);

/* Says on stdout what is traced, by whom and since when.  0: it is traced; 1: not; EXIT_FAILED. */
int verb_status(pid_t pid);

/* Has the memtrack that traces it obey a command, and says on stdout what it did.  0 or EXIT_FAILED. */
int verb_order(pid_t pid, const struct wire_command *command);

#endif
