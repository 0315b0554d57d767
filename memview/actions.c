/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The action table as data, and from a key to its action. */
#include <stddef.h>

#include "memview/actions.h"

static const struct action_row rows[] = {
#define X(id, keys, brief, help, key1, key2, key3) \
	{ ACTION_##id, keys, brief, help, { key1, key2, key3 } },
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
		for (int k = 0; k < 3; k++) {
			if (rows[i].codes[k] == key)
				return rows[i].action;
		}
	}
	return ACTION_NONE;
}
