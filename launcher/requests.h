/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everybody who may ask for something while the main thread waits: viewers, verbs, a snapshot that is ready. */
#ifndef LAUNCHER_REQUESTS_H
#define LAUNCHER_REQUESTS_H

#include <poll.h>
#include <stdbool.h>

#include "launcher/control.h"
#include "launcher/near.h"
#include "launcher/serve.h"
#include "launcher/tracer.h"

#define REQUEST_FDS	4

struct requests {
	struct tracer *tracer;
	struct server *server;		/* or NULL */
	struct near *near;
	struct control *control;
	struct control_owner answers;
};

/* What to poll for. */
void requests_watch(const struct requests *requests, struct pollfd fds[REQUEST_FDS]);

/* After the poll: obeys.  True: somebody wants the end of the tracing. */
bool requests_answer(struct requests *requests, const struct pollfd fds[REQUEST_FDS]);

#endif
