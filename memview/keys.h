/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key codes: ASCII and Unicode values as they are, special keys above all characters. */
#ifndef MEMVIEW_KEYS_H
#define MEMVIEW_KEYS_H

#define KEYS_CTRL(letter) ((letter) & 0x1f)

enum {
	KEYS_NONE = 0,
	KEYS_TAB = '\t',
	KEYS_ENTER = '\r',
	KEYS_ESCAPE = 0x1b,
	KEYS_SPECIAL = 0x110000,
	KEYS_UP, KEYS_DOWN, KEYS_LEFT, KEYS_RIGHT,
	KEYS_PAGE_UP, KEYS_PAGE_DOWN, KEYS_HOME, KEYS_END,
	KEYS_BACK_TAB, KEYS_BACKSPACE, KEYS_DELETE, KEYS_INSERT,
	KEYS_MOUSE,		/* no key: term_mouse_event() says what */
	KEYS_F1, KEYS_F12 = KEYS_F1 + 11,
};

#endif
