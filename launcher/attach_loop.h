/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main thread's loop while a process that ran before is traced. */
#ifndef LAUNCHER_ATTACH_LOOP_H
#define LAUNCHER_ATTACH_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "launcher/control.h"
#include "launcher/near.h"
#include "launcher/serve.h"
#include "launcher/signals.h"
#include "launcher/tracer.h"

enum attach_end {
	ATTACH_GOES_ON,
	ATTACH_DETACHED,	/* asked for: Ctrl-C, --duration, detach, the viewer left */
	ATTACH_EXEC,		/* it executed another program */
	ATTACH_GONE,		/* the process ended */
	ATTACH_STUCK,		/* to be detached, and could not be: its bytes are still patched */
};

struct attach_loop {
	struct tracer *tracer;
	struct signals *signals;
	struct control *control;
	struct control_owner answers;
	struct server *server;		/* or NULL */
	struct near *near;
	void (*loaded)(void *owner);	/* looks whether the process asks for something to be patched */
	void *owner;
	uint64_t segment;		/* where it is mapped in the process */
	uint64_t duration_ns;		/* 0: no limit */

	/* out */
	enum attach_end end;
	bool interrupted;		/* the user did not want to wait for the rest */

	/* the loop's own */
	int memory;			/* /proc/PID/mem of the image that was attached */
	uint64_t until_ns, ended_ns;
	bool wish;			/* somebody wants the end */
	uint64_t again_ns;		/* when to try to detach again */
	unsigned tries;
};

/* Returns when the tracing has ended and its output is complete. */
void attach_loop_run(struct attach_loop *loop);

#endif
