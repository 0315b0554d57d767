/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The action table as data, and from a key to its action. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "memview/actions.h"
#include "memview/key_names.h"

static struct action_row rows[] = {
#define X(id, keys, brief, help, key1, key2, key3) \
	{ ACTION_##id, #id, keys, brief, help, { key1, key2, key3 } },
	MEMVIEW_ACTIONS(X)
#undef X
};

const struct action_row *actions_table(int *count)
{
	*count = (int)(sizeof(rows) / sizeof(rows[0]));
	return rows;
}

enum action actions_find(int key)
{
	if (key == KEYS_NONE)
		return ACTION_NONE;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int k = 0; k < ACTION_KEYS_MAX; k++) {
			if (rows[i].codes[k] == key)
				return rows[i].action;
		}
	}
	return ACTION_NONE;
}

const char *actions_name(const struct action_row *row, char out[ACTION_NAME_MAX])
{
	size_t i;

	for (i = 0; row->id[i] && i < ACTION_NAME_MAX - 1; i++)
		out[i] = row->id[i] == '_' ? '-' : (char)tolower((unsigned char)row->id[i]);
	out[i] = 0;
	return out;
}

enum action actions_named(const char *name)
{
	char each[ACTION_NAME_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(actions_name(&rows[i], each), name) == 0)
			return rows[i].action;
	}
	return ACTION_NONE;
}

/* What the help shows of keys that are not those of the table. */
static void rename_keys(struct action_row *row)
{
	static char texts[ACTION_END][ACTION_KEYS_MAX * KEY_NAME_MAX];
	char *text = texts[row->action], name[KEY_NAME_MAX];

	text[0] = 0;
	for (int k = 0; k < ACTION_KEYS_MAX; k++) {
		if (row->codes[k] == KEYS_NONE)
			continue;
		if (text[0])
			strcat(text, " ");
		strcat(text, key_name(row->codes[k], name));
	}
	row->keys = text;
}

static void take_away(int code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int k = 0; k < ACTION_KEYS_MAX; k++) {
			if (rows[i].codes[k] == code) {
				rows[i].codes[k] = KEYS_NONE;
				rename_keys(&rows[i]);
			}
		}
	}
}

bool actions_takes_all(enum action of, enum action to, const int *codes, size_t count)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && of != to; i++) {
		size_t left = 0;

		for (int k = 0; k < ACTION_KEYS_MAX; k++) {
			bool taken = rows[i].codes[k] == KEYS_NONE;

			for (size_t c = 0; c < count; c++)
				taken |= codes[c] == rows[i].codes[k];
			left += !taken;
		}
		if (rows[i].action == of)
			return !left;
	}
	return false;
}

void actions_bind(enum action action, const int *codes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		take_away(codes[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].action != action)
			continue;
		for (size_t k = 0; k < ACTION_KEYS_MAX; k++)
			rows[i].codes[k] = k < count ? codes[k] : KEYS_NONE;
		rename_keys(&rows[i]);
	}
}
