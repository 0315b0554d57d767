/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys that came before the rows they are meant for. */
#ifndef MEMVIEW_AHEAD_H
#define MEMVIEW_AHEAD_H

#include <stdbool.h>

#define AHEAD_MAX 32

struct view;

struct ahead_key {
	int action, key;
};

struct ahead {
	struct ahead_key keys[AHEAD_MAX];
	unsigned count;
};

/* Whether the key was kept: it moves in the list or is about a row of it, and there is none yet. */
bool ahead_keep(struct view *view, int action, int key);

/* Does what was kept once there are rows, forgets it when there will be none. */
void ahead_settle(struct view *view);

#endif
