/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the traced program printed, as memtrack --view keeps it in a file beside the trace, or what a
 * running one prints into a file: a screen of its own that shows the end of it, or any other part,
 * however much there is.
 *
 * Of the file only what is on the screen is read, at most OUTPUT_WINDOW bytes a time.  A line goes
 * to the newline, or for OUTPUT_LINE bytes, where the next begins. */
#ifndef MEMVIEW_TARGET_OUTPUT_H
#define MEMVIEW_TARGET_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define OUTPUT_WINDOW	(128 * 1024)
#define OUTPUT_LINE	4096

struct view;

struct target_output {
	const char *path;	/* NULL: the trace's name with ".out" behind it */
	int fd;			/* -1: not opened yet */
	bool shown, follow;	/* follow: the end stays in sight */
	uint64_t size;		/* when it was drawn last */
	uint64_t top;		/* where the first line on the screen begins */
	char *window;
};

void target_output_init(struct target_output *output, const char *path);
void target_output_release(struct target_output *output);

/* Shows it, or says why there is nothing to be shown. */
void target_output_show(struct view *view);

/* A key's action (enum action) while it is shown, and the wheel. */
void target_output_act(struct view *view, int action);
void target_output_scroll(struct view *view, int by);

/* Whether the file has changed since it was drawn. */
bool target_output_news(const struct target_output *output);

void target_output_draw(struct view *view);

/* One line as a terminal would leave it on its screen, more or less: without colours and other
 * sequences, tabs as blanks, what was written over left out.  Other control bytes stay. */
void target_output_plain(struct buffer *out, const char *line, size_t length);

#endif
