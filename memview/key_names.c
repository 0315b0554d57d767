/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of keys. */
#include "memview/key_names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "memview/keys.h"

static const struct {
	const char *name;
	int code;
} names[] = {
	{ "Up", KEYS_UP }, { "Down", KEYS_DOWN }, { "Left", KEYS_LEFT }, { "Right", KEYS_RIGHT },
	{ "PgUp", KEYS_PAGE_UP }, { "PgDn", KEYS_PAGE_DOWN }, { "Home", KEYS_HOME }, { "End", KEYS_END },
	{ "Tab", KEYS_TAB }, { "Shift-Tab", KEYS_BACK_TAB }, { "Enter", KEYS_ENTER }, { "Esc", KEYS_ESCAPE },
	{ "Backspace", KEYS_BACKSPACE }, { "Delete", KEYS_DELETE }, { "Insert", KEYS_INSERT },
	{ "Space", ' ' }, { "Hash", '#' },
};

/* Ctrl- with a letter that is no key of its own (Ctrl-i is Tab) and is not the terminal's. */
static int control_key(const char *name)
{
	int letter;

	if (strncasecmp(name, "Ctrl-", 5) != 0 || strlen(name) != 6)
		return KEYS_NONE;
	letter = name[5] | 0x20;
	if (letter < 'a' || letter > 'z')
		return KEYS_NONE;
	return strchr("chijmz", letter) ? KEYS_NONE : KEYS_CTRL(letter);
}

static int function_key(const char *name)
{
	char *end;
	long number;

	if ((name[0] | 0x20) != 'f' || name[1] < '1' || name[1] > '9')
		return KEYS_NONE;
	number = strtol(name + 1, &end, 10);
	return *end || number > 12 ? KEYS_NONE : KEYS_F1 + (int)number - 1;
}

int key_named(const char *name)
{
	uint32_t character;
	int code;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasecmp(names[i].name, name) == 0)
			return names[i].code;
	}
	code = control_key(name);
	if (code == KEYS_NONE)
		code = function_key(name);
	if (code != KEYS_NONE || !*name)
		return code;
	if (text_decode(name, strlen(name), &character) != strlen(name))
		return KEYS_NONE;
	return character > ' ' && (character < 0x7f || character >= 0xa0) ? (int)character : KEYS_NONE;
}

static void encode(uint32_t c, char *out)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	out[n] = 0;
	if (n == 1) {
		out[0] = (char)c;
		return;
	}
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)((0xf00 >> n & 0xff) | c);
}

const char *key_name(int code, char out[KEY_NAME_MAX])
{
	out[0] = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].code == code && code != '#') {
			snprintf(out, KEY_NAME_MAX, "%s", names[i].name);
			return out;
		}
	}
	if (code >= KEYS_F1 && code < KEYS_F1 + 12)
		snprintf(out, KEY_NAME_MAX, "F%d", code - KEYS_F1 + 1);
	else if (code > 0 && code < ' ')
		snprintf(out, KEY_NAME_MAX, "Ctrl-%c", code | 0x60);
	else if (code > ' ' && code < KEYS_SPECIAL)
		encode((uint32_t)code, out);
	return out;
}
