/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of memtrack: start the command, look after it, end. */
#ifndef LAUNCHER_RUN_H
#define LAUNCHER_RUN_H

#include "launcher/launch.h"

/* The exit status for main(): the target's, or one of our own (launch.h). */
int run(const struct launch *launch);

#endif
