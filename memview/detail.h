/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of the detail pane: built once for what is selected, wrapped to the pane, scrolled. */
#ifndef MEMVIEW_DETAIL_H
#define MEMVIEW_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "memview/pen.h"
#include "memview/source.h"

struct heap;
struct stack_frame;

struct detail_line {
	char *text;		/* safe for a terminal */
	size_t label;		/* bytes in front that are the label */
	unsigned style;		/* of what follows the label */
	bool title;		/* a rule follows the text */
};

/* Of what is marked [R]. */
#define RUNTIME_WHY	"The C or C++ runtime keeps it for itself: no leak of the program."

struct detail {
	VECTOR(struct detail_line) lines;
	int columns;		/* to wrap to */
	struct source_shelf sources;
};

void detail_clear(struct detail *detail);
void detail_release(struct detail *detail);

/* "-- Allocation -----" */
void detail_title(struct detail *detail, unsigned style, const char *text);

/* "  Size    : 512 B"; the value may hold any bytes. */
void detail_field(struct detail *detail, unsigned style, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

void detail_text(struct detail *detail, unsigned style, const char *text);

/* The frames of a stack, or why there are none.  lines: file:line where known, and the source
 * around the call that is of interest where it is at hand. */
void detail_stack(struct detail *detail, const struct heap *heap, uint32_t stack, bool lines);

/* The source around the line of a frame, where it is at hand. */
void detail_source(struct detail *detail, const struct stack_frame *frame);

void detail_draw(const struct detail *detail, struct pen *pen, size_t line);

#endif
