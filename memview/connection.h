/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of where the trace comes from, as people are told it, and what can be done about it: to
 * connect again after a loss, to load a file that was replaced.
 *
 * A launcher sends every viewer the trace from its start, so a new connection repeats what is known.
 * That is compared and left out; the rest goes on where the old one ended, and whatever the user has
 * selected, marked and zoomed stays. */
#ifndef MEMVIEW_CONNECTION_H
#define MEMVIEW_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "memview/input.h"
#include "memview/prefix.h"

struct view;

enum link {
	LINK_WAITING,		/* nothing came yet */
	LINK_LIVE,
	LINK_LOADING,
	LINK_DONE,		/* the end was seen, or that of a text log */
	LINK_CUT,		/* a file that has no end: who wrote it was killed, or it was cut */
	LINK_LOST,		/* it broke off before */
	LINK_REPLACED,		/* the file that was followed is another one now */
};

struct connection {
	struct prefix seen;	/* of what was digested */
	struct input *next;	/* the new one, while it repeats that; NULL: none */
	struct prefix found;	/* of what it has repeated */
	struct buffer first;	/* that itself, while it may be the beginning of another trace */
	bool other;		/* it is: next waits with it until the user has said whether it is wanted */
	bool abandoned;		/* as it was told last */
	char line[512];
};

void connection_release(struct connection *connection);

enum link connection_state(const struct view *view);

/* Bytes that are digested; that no more came just now; and that the input came to an end: whether it is the trace's. */
void connection_fed(struct view *view, const void *bytes, size_t length);
void connection_rests(struct view *view);
bool connection_is_lost(const struct view *view);

/* All there is of a trace was read, and that it has ended is not among it: nothing is called leaked. */
bool connection_is_cut(const struct view *view);

/* The user's wish to do something about it; and the answer to what was asked then. */
void connection_retry(struct view *view);
void connection_answer(struct view *view, bool yes);

/* Time-limited work on a new connection.  Returns whether there is more to do at once. */
bool connection_step(struct view *view);

/* What the new one is to be polled for: its descriptor, or -1; none at all: false. */
bool connection_is_retrying(const struct view *view);
int connection_fd(const struct view *view);

/* What the user should know, "" for nothing.  Lives until the next call. */
const char *connection_line(struct view *view);

#endif
