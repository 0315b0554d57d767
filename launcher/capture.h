/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --view: a target that must leave the terminal alone.  Of its standard descriptors those that are
 * the terminal are replaced, and it gets a session without one. */
#ifndef LAUNCHER_CAPTURE_H
#define LAUNCHER_CAPTURE_H

#include <stdbool.h>

#include "launcher/terminal.h"

struct capture {
	bool replaced[3];	/* which of 0, 1, 2 are the terminal */
	char *path;		/* of the file for 1 and 2; NULL: neither is */
};

/* Looks at the descriptors; only where the terminal is still that of our session. */
void capture_look(struct capture *capture, const struct terminal *terminal);

/* Makes the file, TRACE.out, if it takes one: a new one (with a number appended when
 * that name is taken) if fresh, else what is there is overwritten.  0, or -errno with the path set. */
int capture_open(struct capture *capture, const char *trace, bool fresh);
void capture_release(struct capture *capture);

/* In the child, before it executes; async-signal-safe.  0 or an errno. */
int capture_apply(const struct capture *capture);

#endif
