/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user's config file: keys, colours, the mouse.
 *
 *	# a remark
 *	key group = \ g
 *	color leak = red on default bold
 *	mouse = off
 *
 * A line that is wrong is left out and named; it keeps nobody from looking at a trace. */
#ifndef MEMVIEW_SETTINGS_H
#define MEMVIEW_SETTINGS_H

#include <stddef.h>

#include "base/buffer.h"
#include "memview/term.h"

struct settings {
	struct term_options terminal;
	struct buffer problems;	/* a line for each wrong one: "memview/config:3: ..."; sanitised */
	size_t problem_count;
};

/* Reads $XDG_CONFIG_HOME/memview/config, else ~/.config/memview/config, if there is one; keys go
 * to the action table.  settings_release() in any case. */
void settings_read(struct settings *settings);
void settings_release(struct settings *settings);

/* The same of a text. */
void settings_parse(struct settings *settings, const char *path, const char *text, size_t length);

/* What can stand in the file, for --help. */
void settings_help(struct buffer *out);

#endif
