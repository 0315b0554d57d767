/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing text into a stretch of one screen row: clipped, padded, and safe.
 *
 * Whatever a trace calls its threads and functions, only printable characters reach the terminal:
 * control bytes, C1, bidirectional and invalid bytes appear as \xNN.  Columns are counted, so a
 * wide character never hangs over the edge and combining ones take no room. */
#ifndef MEMVIEW_PEN_H
#define MEMVIEW_PEN_H

#include <stdbool.h>
#include <stddef.h>

#include "memview/term.h"

/* X(id, as UTF-8, as ASCII): one column each, wider ones as noted. */
#define PEN_GLYPHS(X) \
	X(LIVE,     L"\u25cf", L"*") \
	X(DONE,     L"\u2715", L"x") \
	X(GROWING,  L"\u25b2", L"^") \
	X(DELTA,    L"\u25b6", L">") \
	X(RANGE,    L"\u25b6\u25c0", L"><")	/* two columns */ \
	X(AT_LEAST, L"\u2265", L">=")		/* one or two */ \
	X(TIMES,    L"\u00d7", L"x") \
	X(PAUSED,   L"\u23f8", L"=") \
	X(ASCENDING, L"\u25b2", L"^") \
	X(DESCENDING, L"\u25bc", L"v") \
	X(ACROSS,   L"\u2500", L"-") \
	X(DOWN,     L"\u2502", L"|") \
	X(TEE_DOWN, L"\u252c", L"+") \
	X(TEE_UP,   L"\u2534", L"+") \
	X(BLOCK,    L"\u2588", L"#") \
	X(MORE,     L"\u2026", L"~") \
	X(UNFOLDED, L"\u25be", L"-") \
	X(FOLDED,   L"\u25b8", L"+") \
	X(ONLY,     L"\u2514", L"`") \
	X(FILL,     L" ", L"-")		/* the rest of a box */

enum pen_glyph {
#define X(id, wide, plain) GLYPH_##id,
	PEN_GLYPHS(X)
#undef X
	GLYPH_COUNT,
};

#define PEN_LEVELS 8	/* heights of a bar cell, 1..8; 0 is the base line */

struct pen {
	struct term *term;
	int row, column, end;	/* next column, first column not ours */
};

/* A pen on columns column .. column + width - 1; beyond the screen it writes nothing. */
struct pen pen_at(struct term *term, int row, int column, int width);

/* Columns left. */
int pen_left(const struct pen *pen);

/* Text of the given bytes (any bytes); what does not fit is cut. */
void pen_bytes(struct pen *pen, unsigned style, const char *text, size_t length);
void pen_text(struct pen *pen, unsigned style, const char *text);
void pen_printf(struct pen *pen, unsigned style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As pen_text, but what is cut ends in an ellipsis. */
void pen_clip(struct pen *pen, unsigned style, const char *text);

/* A column of a table: exactly width columns, cut with an ellipsis; right: to the right. */
void pen_field(struct pen *pen, unsigned style, const char *text, int width, bool right);

void pen_glyph(struct pen *pen, unsigned style, enum pen_glyph glyph);

/* One cell of a bar chart, 0 .. PEN_LEVELS high. */
void pen_level(struct pen *pen, unsigned style, int level);

/* count times the glyph. */
void pen_repeat(struct pen *pen, unsigned style, enum pen_glyph glyph, int count);

/* count blanks; the rest of the stretch. */
void pen_space(struct pen *pen, unsigned style, int count);
void pen_fill(struct pen *pen, unsigned style);

/* Columns that text takes once made safe. */
int pen_width(const struct term *term, const char *text);

#endif
