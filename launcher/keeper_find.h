/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keeper of a memtrack that was killed, at work still. */
#ifndef LAUNCHER_KEEPER_FIND_H
#define LAUNCHER_KEEPER_FIND_H

#include <sys/types.h>

#define KEEPER_NAME	"memtrack-keeper"	/* of its process */

/* Waits until no keeper looks after the process any more, so that it does not come between; a few seconds at
 * most, as one may have to wait itself. */
void keeper_wait(pid_t target);

#endif
