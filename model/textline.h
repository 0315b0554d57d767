/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of the text log, taken apart.  Allocates nothing; any bytes are fine. */
#ifndef MODEL_TEXTLINE_H
#define MODEL_TEXTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

/* Damaged: an event's, but not one that can be taken; the frames that follow are its own. */
enum textline_kind {
	TEXTLINE_FOREIGN, TEXTLINE_DAMAGED, TEXTLINE_EVENT, TEXTLINE_EXIT, TEXTLINE_FRAME,
};

#define TEXTLINE_SIZE_MAX	0xffffffffffffull	/* no address space holds more */

struct textline {
	enum textline_kind kind;
	/* event */
	uint32_t tid;
	struct trace_string name, op;	/* name without its padding */
	uint64_t ts, size, total, ptr;
	bool has_ts, has_size, has_total, has_ptr;
	/* frame */
	uint32_t index;
	struct trace_string frame;	/* what stands before " [0xPC]" */
	struct trace_string binary, symbol; /* either may be empty */
	uint64_t offset, pc;
};

/* line without its newline.  Strings of out point into it. */
void textline_parse(const char *line, size_t length, struct textline *out);

#endif
