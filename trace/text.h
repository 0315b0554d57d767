/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of the text log, written and read.  Freestanding: no stdio, no allocation.
 *
 *   [memtrack] tid=12     (name           ) malloc     ts=1234         size=10            total=10            ptr=0x55..
 *   [memtrack] tid=12     (name           ) free       ts=1240          ptr=0x55..
 *   [memtrack]   #0  BINARY(SYMBOL+0x2a) [0x401136]
 *   [memtrack] tid=12     (name           ) EXIT       ts=1300         total=10           bytes allocated
 *
 * Any bytes may stand in names; a reader goes by position and by the last " [0x". */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

#define TEXT_MARK	"[memtrack] "
#define TEXT_EVENT_MAX	320u	/* bytes that any event line fits into, newline included */

enum text_kind {
	TEXT_FOREIGN,		/* no line of the log: program output, damage */
	TEXT_EVENT,
	TEXT_FRAME,
	TEXT_EXIT,
};

struct text_line {
	enum text_kind kind;
	/* TEXT_EVENT, TEXT_EXIT */
	uint32_t tid;
	struct trace_string name;
	struct trace_string op;		/* op_from_label() knows it */
	uint64_t ts;			/* microseconds */
	uint64_t size, total, ptr;	/* 0 when not there */
	bool has_size, has_total;	/* has_total: an allocation; else it ends one */
	/* TEXT_FRAME */
	uint32_t index;
	struct trace_string binary, symbol; /* symbol is empty when the frame names none */
	uint64_t offset;		/* in the symbol, or in the binary's file when it has none */
	uint64_t pc;
};

/* Reads one line, without its newline.  Strings point into it.  Never fails: what it does not
 * understand is TEXT_FOREIGN.  A log line behind program output on the same line is found. */
enum text_kind text_parse(const char *line, size_t length, struct text_line *out);

/* Writes one line, newline included, and returns its length; 0 when `size` is too small
 * (TEXT_EVENT_MAX is always enough for events).  Control bytes in names become '?'. */
size_t text_format_event(char *out, size_t size, const struct text_line *line);

/* The same for a frame: any length its strings need (length + 80 is enough). */
size_t text_format_frame(char *out, size_t size, const struct text_line *line);

#endif
