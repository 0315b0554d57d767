/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that its writer holds for as long as it lives, so that readers can tell a pause from a death.
 *
 * The hold is a lock on one byte far behind the end of any file, on the open file (F_OFD_SETLK): the kernel takes it
 * away when the last descriptor of that open file is gone, however its owners ended.  It keeps nobody from anything,
 * and looking does not lock. */
#ifndef BASE_HOLD_H
#define BASE_HOLD_H

#include <stdbool.h>

#define HOLD_MARK	17	/* room for 16 digits and a NUL */

enum hold_state {
	HOLD_UNKNOWN,		/* nothing can be learned there: no locks, or one of somebody else's */
	HOLD_NONE,
	HOLD_HELD,
};

/* Holds the open file of a descriptor that may be read.  Several may hold one file.  False: there are no locks. */
bool hold_take(int fd);

/* Whether anybody holds the file, through an open file of its own. */
enum hold_state hold_look(int fd);

/* What tells this file from all others as long as this machine is up: a copy has another mark, and so has the same file
 * seen from another machine.  False: there is none, mark is "". */
bool hold_mark(int fd, char mark[HOLD_MARK]);

#endif
