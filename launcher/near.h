/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The viewer that reads the trace from a socket of its own, on which its commands come: memview with
 * --view, -- or --pid.  Heard by the main thread. */
#ifndef LAUNCHER_NEAR_H
#define LAUNCHER_NEAR_H

#include <stdbool.h>

#include "launcher/hearing.h"

struct near {
	struct hearing hearing;
	struct hearing_viewer viewer;
	int fd;			/* -1: there is no such viewer */
};

/* socket stays the caller's; -1: nobody is heard. */
void near_open(struct near *near, int socket);
void near_close(struct near *near);

/* Readable when there is something for near_read; -1: never (any more). */
int near_fd(const struct near *near);
void near_read(struct near *near);

/* After near_read: the next command; false: there is none. */
bool near_take(struct near *near, struct wire_command *command);

/* Whether memview started this memtrack to be heard on standard output (VIEWER_COMMANDS, wire/viewer.h).  Who is
 * started from here on is not told. */
bool near_wanted(void);

#endif
