/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the log goes: MEMTRACK_PORT, else MEMTRACK_OUTPUT, else stderr. */
#ifndef HOOK_LOG_OPEN_H
#define HOOK_LOG_OPEN_H

#include <stdbool.h>

#include "hook/log_file.h"

/* Opens, and for a port waits for the viewer; what is wrong is told on stderr.  False: there is
 * nowhere to log to. */
bool log_open(struct log_file *f, const char *output, const char *port);

/* A TCP server for [ADDR:]PORT: waits for its one client.  fd, -EINVAL (not an address) or
 * -errno. */
long log_serve(const char *address);

#endif
