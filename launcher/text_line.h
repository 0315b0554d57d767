/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event lines of the text log, without printf: this runs once per event. */
#ifndef LAUNCHER_TEXT_LINE_H
#define LAUNCHER_TEXT_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/format.h"

#define TEXT_LINE_MAX	256u

/* A number, then blanks up to width columns. */
void text_put_padded(struct buffer *out, uint64_t value, unsigned width);

/* Lower-case hexadecimal digits, no prefix. */
void text_put_hex(struct buffer *out, uint64_t value);

/* "[memtrack] tid=T      (NAME           ) ", NUL-terminated, made once per name: control
 * characters become '?', so that a name never breaks a line. */
void text_make_prefix(char prefix[TEXT_LINE_MAX], uint32_t tid, struct trace_string name);

/* One event's line, with its newline; nothing for events that the log does not show.  total: the
 * thread's bytes with this event. */
void text_put_event(struct buffer *out, const char *prefix, const struct trace_event *event,
		    uint64_t microseconds, uint64_t total);

#endif
