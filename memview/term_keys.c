/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key decoding: curses does the terminal's sequences, unknown ones are swallowed whole. */
#include "memview/term_keys.h"

#include <curses.h>

#include "memview/keys.h"

static const struct {
	int curses, ours;
} map[] = {
	{ KEY_UP, KEYS_UP }, { KEY_DOWN, KEYS_DOWN }, { KEY_LEFT, KEYS_LEFT },
	{ KEY_RIGHT, KEYS_RIGHT }, { KEY_PPAGE, KEYS_PAGE_UP }, { KEY_NPAGE, KEYS_PAGE_DOWN },
	{ KEY_HOME, KEYS_HOME }, { KEY_FIND, KEYS_HOME }, { KEY_END, KEYS_END },
	{ KEY_SELECT, KEYS_END }, { KEY_BTAB, KEYS_BACK_TAB }, { KEY_ENTER, KEYS_ENTER },
	{ KEY_BACKSPACE, KEYS_BACKSPACE }, { KEY_DC, KEYS_DELETE },
};

static int from_curses(int code)
{
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].curses == code)
			return map[i].ours;
	}
	return KEYS_NONE;
}

/* A lone Esc is a key; Esc with more behind it is a sequence curses did not know (or Alt with a
 * key) and must not be taken for Esc and letters. */
static int after_escape(void)
{
	wint_t c;
	int kind = get_wch(&c);

	if (kind == ERR)
		return KEYS_ESCAPE;
	if (kind == OK && (c == '[' || c == 'O')) {
		while (get_wch(&c) == OK && (c < 0x40 || c > 0x7e))
			;
	}
	return KEYS_NONE;
}

int term_keys_read(void)
{
	for (;;) {
		wint_t c;
		int kind = get_wch(&c), key;

		if (kind == ERR)
			return KEYS_NONE;
		if (kind == KEY_CODE_YES)
			key = from_curses((int)c);
		else if (c == KEYS_ESCAPE)
			key = after_escape();
		else if (c == '\n')
			key = KEYS_ENTER;
		else if (c == 0x7f || c == KEYS_CTRL('h'))
			key = KEYS_BACKSPACE;
		else
			key = (int)c;
		if (key != KEYS_NONE)
			return key;
	}
}
