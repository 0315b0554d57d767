/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memview that --view starts. */
#ifndef LAUNCHER_MEMVIEW_H
#define LAUNCHER_MEMVIEW_H

#include <sys/types.h>

#include "launcher/signals.h"
#include "launcher/terminal.h"

#define MEMVIEW_RESTORE_MAX 256

struct memview_start {
	const char *path;		/* of memview_find() */
	const char *trace, *output;	/* names of files; output "": the target has its own */
	int stream;			/* the trace is read from there */
	const struct terminal *terminal;
	const struct signals *signals;	/* as memtrack was started with */
};

/* Beside memtrack, where the build makes it, or by PATH: a path for the caller to free, or NULL. */
char *memview_find(void);

/* Starts it in our process group.  Its pid, or -errno; *ready is to be read: what would put the
 * terminal right after a sudden end (at most MEMVIEW_RESTORE_MAX bytes, at once) comes when the
 * screen is open. */
pid_t memview_run(const struct memview_start *start, int *ready);

#endif
