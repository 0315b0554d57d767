/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtrack --view: the process that the shell knows.  It starts the one that traces (behind.h) and
 * memview, stops and goes on with memview, passes on what is meant for the target, and ends with the
 * target's exit status. */
#ifndef LAUNCHER_FRONT_H
#define LAUNCHER_FRONT_H

#include "launcher/launch.h"

/* The exit status for main(). */
int front(const struct launch *launch);

#endif
