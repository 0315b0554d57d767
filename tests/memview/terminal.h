/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program in a terminal in memory: the pseudo-terminal, its keys, and waiting for the screen. */
#ifndef TESTS_MEMVIEW_TERMINAL_H
#define TESTS_MEMVIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tests/memview/emulator.h"

struct terminal {
	struct emulator screen;
	int master, slave;	/* slave: kept open, to see what the program has not read yet */
	int children;		/* a signalfd */
	pid_t child;
	bool ended;
	int status;		/* as a shell has it */
};

/* Until a condition holds; false when it did not within so many milliseconds. */
typedef bool terminal_condition(struct terminal *t, const void *data);
bool terminal_wait(struct terminal *t, int timeout_ms, terminal_condition *holds, const void *data);

/* Takes in what is there of output, waiting for some at most so long.  false: nothing came. */
bool terminal_look(struct terminal *t, int timeout_ms);

/* As typed. */
void terminal_send(struct terminal *t, const char *bytes, size_t count);
void terminal_press(struct terminal *t, const char *name);
bool terminal_mouse(struct terminal *t, const char *what, int column, int row);
void terminal_resize(struct terminal *t, int columns, int rows);

/* Keys drawn from a seed, with sizes and clicks among them; until count are sent or it ends.
 * Returns how many were sent.  Never the keys that quit. */
unsigned terminal_random(struct terminal *t, unsigned seed, unsigned count);

#endif
