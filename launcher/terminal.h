/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The terminal of --view: which it is, and its modes as the shell had them. */
#ifndef LAUNCHER_TERMINAL_H
#define LAUNCHER_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

struct terminal {
	int fd;			/* read and write; O_CLOEXEC */
	struct termios modes;	/* when it was opened */
};

/* The controlling terminal, or else a standard descriptor that is one.  0, or -ENOTTY. */
int terminal_open(struct terminal *terminal);
void terminal_close(struct terminal *terminal);

/* Whether a descriptor is this terminal, and not a file, a pipe or another terminal. */
bool terminal_is(const struct terminal *terminal, int fd);

/* Its modes as they were, and away with what was typed meanwhile.  All signals are blocked. */
void terminal_restore(const struct terminal *terminal);

#endif
