/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a process ended. */
#ifndef LAUNCHER_EXIT_CODE_H
#define LAUNCHER_EXIT_CODE_H

#include <stdint.h>
#include <sys/types.h>

#include "trace/format.h"

/* From a wait status that says exited or killed. */
void exit_code_of_child(int status, enum trace_end_how *how, uint32_t *value);

/* Of an ended process that is not our child: from its zombie, or from the kernel's memory of it
 * (pidfd, Linux 6.15); 0 when nobody knows. */
void exit_code_of_other(pid_t pid, int pidfd, enum trace_end_how *how, uint32_t *value);

/* What memtrack itself exits with. */
int exit_code_for_shell(enum trace_end_how how, uint32_t value);

#endif
