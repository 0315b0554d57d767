/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the viewer asks of the memtrack that sends the trace (wire/command.h), and what that answers in it. */
#ifndef MEMVIEW_COMMANDS_H
#define MEMVIEW_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

struct commands {
	char answer[256];	/* the newest that was seen */
	uint64_t asked_ms;	/* when the oldest wish without an answer was sent; 0: none */
	bool late;		/* that was said, and the answer is still to come */
	size_t markers;		/* of the heap, so many are known */
};

/* The keys. */
void commands_pause(struct view *view);
void commands_snapshot(struct view *view);
void commands_ask_name(struct view *view);
void commands_mark(struct view *view, const char *name);

/* Looks at what has come: answers are told, markers become numbered ones. */
void commands_watch(struct view *view);

#endif
