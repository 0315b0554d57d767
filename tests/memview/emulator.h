/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A terminal in memory, for tests: bytes of a program in, a screen out.
 *
 * It knows what terminfo makes programs send to xterm, screen, tmux, linux and vt100; a sequence
 * it does not know is a fault.  Text that runs over the right edge of the alternate screen is counted
 * apart: while the size changes a program cannot know better. */
#ifndef TESTS_MEMVIEW_EMULATOR_H
#define TESTS_MEMVIEW_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	EMULATOR_BOLD = 1, EMULATOR_DIM = 2, EMULATOR_UNDERLINE = 4, EMULATOR_REVERSE = 8,
	EMULATOR_OTHER = 16,	/* italic, blink, hidden */
};

#define EMULATOR_MARKS 3	/* combining characters that are kept of a cell */
#define EMULATOR_PARAMETERS 16

struct emulator_style {
	int16_t front, back;	/* colour, -1: the terminal's own */
	uint8_t attributes;
};

struct emulator_cell {
	uint32_t text[1 + EMULATOR_MARKS];	/* text[0] == 0: the right half of a wide one */
	struct emulator_style style;
};

struct emulator_point {
	int row, column;
	bool full;		/* the next character goes to the next line */
};

struct emulator {
	int rows, columns;
	struct emulator_cell *cells, *shell;	/* shell: the screen below the alternate one, or NULL */
	struct emulator_point at, saved, shell_at;
	struct emulator_style style;
	int top, bottom;	/* scroll region, bottom exclusive */
	bool hidden, mouse, sgr_mouse, insert, cursor_keys;
	char title[128];

	enum { EMULATOR_GROUND, EMULATOR_ESCAPE, EMULATOR_CSI, EMULATOR_STRING, EMULATOR_STRING_ESCAPE,
	       EMULATOR_CHARSET } state;
	int parameters[EMULATOR_PARAMETERS], parameter_count;
	char prefix, middle;	/* ? or >, and ! or $ or blank, of the sequence */
	uint32_t last;		/* the last character, for REP */
	uint8_t utf8[4];
	size_t utf8_have, utf8_want;
	char string[128];
	size_t string_length;

	unsigned edges;		/* since the last change of the size */
	unsigned faults;
	char fault[96];		/* the first of them */
};

void emulator_start(struct emulator *e, int rows, int columns);
void emulator_release(struct emulator *e);
void emulator_feed(struct emulator *e, const void *bytes, size_t count);
void emulator_resize(struct emulator *e, int rows, int columns);

/* A row as UTF-8 without the blanks at its end; out holds at least columns * 16 + 1 bytes.
 * Returns its length. */
size_t emulator_row(const struct emulator *e, int row, char *out);

/* The screen with a line of styles for each row that has any:
 *	text
 *	 ~3-9 bold front 196		columns 3 to 9 */
void emulator_print(const struct emulator *e, bool styles, FILE *out);

#endif
