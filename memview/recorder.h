/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memview --pid: a memtrack behind the viewer, whose trace comes through a pipe. */
#ifndef MEMVIEW_RECORDER_H
#define MEMVIEW_RECORDER_H

#include <stdint.h>
#include <sys/types.h>

#include "memview/input.h"

struct recorder {
	pid_t pid;		/* of memtrack; 0: none runs */
	int target;		/* pidfd of the process; -1: there is none */
	char *output;		/* the file that its stdout goes into; NULL: that is none which can be shown */
	int trace, messages;	/* its stdout (the input's, once there is one) and stderr */
};

/* Starts memtrack --pid PID and waits until the trace begins.  0, or the exit status: it was said why
 * there will be none. */
int recorder_start(struct recorder *recorder, uint64_t pid);

/* Lets the process go and waits for memtrack; reads the rest of the trace for the sake of what is being
 * saved (NULL: the input is closed).  What memtrack had to say goes to stderr. */
void recorder_stop(struct recorder *recorder, struct input *input);

/* Ends the process: SIGTERM, and SIGKILL if it is still there after 3 s.  Reads the trace to its end as
 * recorder_stop() does, which is to follow. */
void recorder_kill(struct recorder *recorder, struct input *input);

/* Becomes memtrack --view COMMAND..., which starts this program again.  output: the name of the trace, or
 * NULL.  Returns only when that cannot be: the exit status. */
int recorder_run_command(char **command, const char *output);

#endif
