/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of memtrack --pid: attach, look after it, detach. */
#ifndef LAUNCHER_RUN_ATTACH_H
#define LAUNCHER_RUN_ATTACH_H

#include "launcher/launch.h"

/* The exit status for main(): 0 after the tracing has ended, however; EXIT_FAILED when refused. */
int run_attach(const struct launch *launch);

#endif
