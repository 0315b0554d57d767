/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key decoding: curses does the terminal's sequences, the mouse is done here, unknown sequences are
 * swallowed whole.
 *
 * curses could decode the mouse too, but it reads the rest of an event with read(), which waits for
 * ever when that does not come. */
#include "memview/term_keys.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "memview/keys.h"
#include "memview/now.h"

#define REST_MS 200	/* within which the rest of a sequence must come */
#define APART_MS 25	/* two keys of a person are further apart */

static const struct {
	int curses, ours;
} map[] = {
	{ KEY_UP, KEYS_UP }, { KEY_DOWN, KEYS_DOWN }, { KEY_LEFT, KEYS_LEFT },
	{ KEY_RIGHT, KEYS_RIGHT }, { KEY_PPAGE, KEYS_PAGE_UP }, { KEY_NPAGE, KEYS_PAGE_DOWN },
	{ KEY_HOME, KEYS_HOME }, { KEY_FIND, KEYS_HOME }, { KEY_END, KEYS_END },
	{ KEY_SELECT, KEYS_END }, { KEY_BTAB, KEYS_BACK_TAB }, { KEY_ENTER, KEYS_ENTER },
	{ KEY_BACKSPACE, KEYS_BACKSPACE }, { KEY_DC, KEYS_DELETE }, { KEY_IC, KEYS_INSERT },
};

/* A sequence whose end has not come yet.  Static: there is one keyboard. */
static struct {
	enum { NONE, ESCAPED, CONTROL, X10_MOUSE } state;
	char text[32];
	size_t length;
	uint64_t since;
} partial;

static uint64_t quiet;	/* ms, when no key was waiting */
static wint_t held;	/* a key that waits behind an Esc; 0: none */

static int from_curses(int code)
{
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].curses == code)
			return map[i].ours;
	}
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEYS_F1 + code - KEY_F(1);
	return KEYS_NONE;
}

/* What a button's code says; false for releases, movements and other buttons. */
static bool is_wanted(unsigned button, enum term_mouse_what *what)
{
	unsigned which = button & 3;

	if (button & (32 | 128))
		return false;
	if (button & 64) {
		*what = which == 0 ? TERM_WHEEL_UP : TERM_WHEEL_DOWN;
		return which < 2;
	}
	*what = TERM_CLICK;
	return which == 0;
}

static int mouse_key(struct term_mouse_event *mouse, unsigned button, int column, int row)
{
	if (!is_wanted(button, &mouse->what))
		return KEYS_NONE;
	mouse->column = column;
	mouse->row = row;
	return KEYS_MOUSE;
}

/* The end of ESC [ ...: mouse as xterm's mode 1006 tells of it, or something unknown. */
static int control_end(struct term_mouse_event *mouse, wint_t final)
{
	unsigned button;
	int column, row;

	if (final == 'M' && sscanf(partial.text, "<%5u;%5d;%5d", &button, &column, &row) == 3 && column > 0 && row > 0)
		return mouse_key(mouse, button, column - 1, row - 1);
	return KEYS_NONE;
}

/* Three characters: button, column, row. */
static int x10_end(struct term_mouse_event *mouse)
{
	return mouse_key(mouse, (unsigned char)partial.text[0] - 32u, (unsigned char)partial.text[1] - 33,
			 (unsigned char)partial.text[2] - 33);
}

static void keep(wint_t c)
{
	if (partial.length < sizeof(partial.text) - 1)
		partial.text[partial.length++] = c < 0x100 ? (char)c : '?';
	partial.text[partial.length] = 0;
}

static int partial_next(struct term_mouse_event *mouse, wint_t c)
{
	switch (partial.state) {
	case ESCAPED:
		/* Alt with a key is nothing, and not Esc and the key. */
		partial.state = c == '[' || c == 'O' ? CONTROL : NONE;
		return KEYS_NONE;
	case CONTROL:
		if (c == 'M' && !partial.length) {
			partial.state = X10_MOUSE;
			return KEYS_NONE;
		}
		if (c < 0x40 || c > 0x7e) {
			keep(c);
			return KEYS_NONE;
		}
		partial.state = NONE;
		return control_end(mouse, c);
	default:
		keep(c);
		if (partial.length < 3)
			return KEYS_NONE;
		partial.state = NONE;
		return x10_end(mouse);
	}
}

/* Keys that waited while there was other work: nobody can tell any more how far they were apart. */
static bool has_waited(void)
{
	return partial.since - quiet > APART_MS;
}

static void partial_start(void)
{
	partial.state = ESCAPED;
	partial.length = 0;
	partial.text[0] = 0;
	partial.since = now_ms();
}

static int plain(wint_t c)
{
	if (c == '\n')
		return KEYS_ENTER;
	return c == 0x7f || c == KEYS_CTRL('h') ? KEYS_BACKSPACE : (int)c;
}

/* One more code of curses: a key, or a part of one. */
static int take(struct term_mouse_event *mouse, int kind, wint_t c)
{
	if (kind == KEY_CODE_YES) {
		partial.state = NONE;
		return from_curses((int)c);
	}
	/* Nothing is bound to Alt with a key: if it may have been Esc and a key, it was. */
	if (partial.state == ESCAPED && c != '[' && c != 'O' && has_waited()) {
		partial.state = NONE;
		held = c;
		return KEYS_ESCAPE;
	}
	if (c == KEYS_ESCAPE) {
		partial_start();
		return KEYS_NONE;
	}
	return partial.state == NONE ? plain(c) : partial_next(mouse, c);
}

void term_keys_came(void)
{
	quiet = now_ms();
}

int term_keys_read(struct term_mouse_event *mouse)
{
	for (;;) {
		wint_t c = held;
		int kind = held ? OK : get_wch(&c), key;

		held = 0;
		if (kind == ERR) {
			quiet = now_ms();
			/* curses has waited for what could follow: a lone Esc is a key. */
			if (partial.state != ESCAPED)
				return KEYS_NONE;
			partial.state = NONE;
			return KEYS_ESCAPE;
		}
		if (partial.state != NONE && now_ms() - partial.since > REST_MS)
			partial.state = NONE;
		key = take(mouse, kind, c);
		if (key != KEYS_NONE)
			return key;
	}
}
