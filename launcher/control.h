/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The running memtrack's end of the control socket. */
#ifndef LAUNCHER_CONTROL_H
#define LAUNCHER_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/vector.h"
#include "wire/control.h"

struct control_client;
struct tracer;

VECTOR_STRUCT(control_fds, int);

struct control {
	int poller;			/* poll it for input; -1: there is none */
	int listener;
	char path[WIRE_CONTROL_PATH];
	VECTOR(struct control_client *) talking;	/* whose word is not complete; the oldest is the first */
	struct control_fds waiting;	/* clients that are answered when the tracing has ended */
	struct control_fds later;	/* and when what they asked for is done */
};

/* What the answers need. */
struct control_owner {
	void (*status)(void *owner, struct buffer *out);	/* appends the answer to a status command */
	struct tracer *tracer;
	const char *stays;		/* why there is no detach; NULL: there is */
	void *owner;
};

/* 0 or -errno; without, tracing works all the same. */
int control_open(struct control *control, pid_t target);

/* Whatever clients have sent; none is waited for.  True: somebody wants the end. */
bool control_answer(struct control *control, const struct control_owner *owner);

/* The answer to whoever waits for something else than the end. */
void control_tell_later(struct control *control, bool good, const char *text);

/* The answer to whoever waits: text, or what went wrong. */
void control_tell(struct control *control, bool good, const char *text);

void control_close(struct control *control);

#endif
