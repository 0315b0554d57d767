/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reaching a launcher that serves a trace, without ever blocking on it:
 *
 *	err = wire_connect_start(&c, &address);
 *	while (err == -EINPROGRESS) {
 *		poll(c.fd for POLLOUT, at most wire_connect_wait(&c) ms);
 *		err = wire_connect_poll(&c);
 *	}
 *	if (err >= 0) use the socket err; */
#ifndef WIRE_CONNECT_H
#define WIRE_CONNECT_H

#include "wire/address.h"

#define WIRE_CONNECT_MS	10000	/* patience with one place of a host */

struct wire_connect {
	int fd;			/* being connected; -1 when there is none */
	int count, next;	/* places tried so far: those below next */
	int64_t deadline;	/* CLOCK_MONOTONIC ms for this place */
	struct wire_place places[WIRE_PLACES_MAX];
};

/* Resolves the host (which may wait when it is a name: run it in a thread then) and begins.
 * A connected socket (non-blocking, close-on-exec; the caller's), -EINPROGRESS, or -errno:
 * -ECONNREFUSED when nobody listens, -ETIMEDOUT, -EHOSTUNREACH, what wire_address_resolve says. */
int wire_connect_start(struct wire_connect *c, const struct wire_address *address);

/* What became of it; goes on to the host's next place after a failure.  Results as above. */
int wire_connect_poll(struct wire_connect *c);

/* Milliseconds until it makes sense to poll without an event on c->fd. */
int wire_connect_wait(const struct wire_connect *c);

/* Gives up; needed only after -EINPROGRESS. */
void wire_connect_cancel(struct wire_connect *c);

/* All of it, waiting at most timeout_ms.  The socket or -errno. */
int wire_connect(const struct wire_address *address, int timeout_ms);

#endif
