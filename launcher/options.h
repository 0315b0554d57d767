/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line and the environment, turned into a launch. */
#ifndef LAUNCHER_OPTIONS_H
#define LAUNCHER_OPTIONS_H

#include <stdbool.h>

#include "launcher/launch.h"

/* True when *launch is to be run; false when all is done (--help, --version) or wrong, and has
 * been said: *status is the exit status then.  Strings in *launch are of argv and the
 * environment, or live until exit. */
bool options_read(int argc, char **argv, struct launch *launch, int *status);

#endif
