/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A few lines of a program's source around one that a frame names, where the file is at hand. */
#ifndef MEMVIEW_SOURCE_H
#define MEMVIEW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_AROUND 2		/* lines before, and behind */
#define SOURCE_LINES (2 * SOURCE_AROUND + 1)
#define SOURCE_SHELF 8		/* excerpts that are kept: a picture has one or two */

struct source_excerpt {
	char *file;		/* as the trace has it; NULL: an empty slot */
	uint32_t line;
	uint32_t first;		/* number of lines[0] */
	size_t count;		/* of lines; 0: there is no such file or no such line */
	char *lines[SOURCE_LINES]; /* raw bytes without the newline, cut when very long */
	bool newer;		/* the file was changed after the program was made */
};

/* What was looked up last, so that a picture costs no reading.  All zero at first. */
struct source_shelf {
	struct source_excerpt slots[SOURCE_SHELF];
	unsigned next;
};

/* Reads at most a few megabytes of a regular file, of nothing else.  module (may be NULL): the
 * program, to compare ages.  Never NULL; lives until the shelf is used again. */
const struct source_excerpt *source_look(struct source_shelf *shelf, const char *file, uint32_t line,
					 const char *module);
void source_release(struct source_shelf *shelf);

#endif
