/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The terminal: size, cells, keys.  All that knows curses hides behind this header. */
#ifndef MEMVIEW_TERM_H
#define MEMVIEW_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct term;

/* X(id, colour of 256, colour of 8, attributes): -1 is the terminal's own colour.
 * Attributes: b bold, d dim, r reverse, u underline, m (on a terminal without colours) bold. */
#define TERM_STYLES(X) \
	X(PLAIN,    -1, -1, "") \
	X(BOLD,     -1, -1, "b") \
	X(FAINT,   244, -1, "d") \
	X(RULE,    240, -1, "d") \
	X(TITLE,    75,  6, "b") \
	X(YOUNG,    77,  2, "") \
	X(MIDDLE,  220,  3, "") \
	X(OLD,     203,  1, "bm") \
	X(FREED,   136,  3, "d") \
	X(LEAK,    196,  1, "bm") \
	X(MARKER,  207,  5, "bm") \
	X(BASE,    226,  3, "bm") \
	X(KEY,      75,  6, "bm") \
	X(SOURCE,  109,  6, "") \
	X(ALERT,   203,  1, "br") \
	X(FLAME1,  209,  1, "r") \
	X(FLAME2,  179,  3, "r") \
	X(FLAME3,  114,  2, "r") \
	X(FLAME4,  110,  6, "r") \
	X(FLAME5,  175,  5, "r") \
	X(FLAME6,  146,  4, "r")

enum term_style {
#define X(id, c256, c8, attributes) STYLE_##id,
	TERM_STYLES(X)
#undef X
	STYLE_COUNT,
	STYLE_MASK = 0xff,
	STYLE_SELECTED = 0x100,	/* the line under the cursor of the focused pane: reverse */
	STYLE_SHADED = 0x200,	/* the same in a pane without focus: underlined */
};

/* How a style is to look instead: colours of 256, -1 the terminal's own. */
struct term_look {
	bool given;
	short front, back;
	char attributes[6];	/* letters of TERM_STYLES */
};

struct term_options {
	bool mouse;
	struct term_look looks[STYLE_COUNT];
};

/* What the mouse did, the wheel or the left button. */
enum term_mouse_what { TERM_CLICK, TERM_WHEEL_UP, TERM_WHEEL_DOWN };

struct term_mouse_event {
	enum term_mouse_what what;
	int row, column;	/* may lie beyond the screen */
};

/* Whether standard output is a terminal; else a sentence that says what to do instead. */
bool term_is_there(char *error, size_t size);

/* Opens the terminal: stdout, with keys from stdin or, when that is no terminal, /dev/tty.
 * 0, or -1 with a sentence in error.  Sets interrupts_guard(). */
int term_start(struct term **term, const struct term_options *options, char *error, size_t size);

/* Gives the terminal back as it was, frees.  NULL is allowed. */
void term_stop(struct term *term);

/* The terminal as the shell wants it while this process is stopped, and back. */
void term_suspend(struct term *term);
void term_resume(struct term *term);

/* Takes over the window size of now. */
void term_resize(struct term *term);

int term_rows(const struct term *term);
int term_columns(const struct term *term);

/* Whether characters beyond ASCII can be shown. */
bool term_unicode(const struct term *term);

/* The next key, KEYS_NONE when none waits. Never blocks.  After KEYS_MOUSE, what the mouse did. */
int term_key(struct term *term);
const struct term_mouse_event *term_mouse_event(const struct term *term);

/* The keys that wait came just now, not while there was other work. */
void term_key_came(struct term *term);

/* Listens to the mouse, or leaves it to the terminal.  false: this terminal has none. */
bool term_mouse(struct term *term, bool on);
bool term_mouse_is_on(const struct term *term);

/* The ASCII word on the screen at that place, without blanks; "" when there is none. */
void term_word(struct term *term, int row, int column, char *out, size_t size);

/* Whether a key waits, as far as one can tell without reading it; false for NULL. */
bool term_waits(const struct term *term);

/* To poll for keys. */
int term_input(const struct term *term);

/* A frame: clear the picture, write cells, show what changed.  everything: draw all cells. */
void term_clear(struct term *term);
void term_write(struct term *term, int row, int column, unsigned style, const wchar_t *text,
		size_t count);
void term_show(struct term *term, bool everything);

/* Shows the text cursor there until the next frame. */
void term_cursor(struct term *term, int row, int column);

#endif
