/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --port, with words for whoever typed it. */
#ifndef LAUNCHER_VIEWERS_H
#define LAUNCHER_VIEWERS_H

#include "launcher/launch.h"
#include "launcher/serve.h"

/* *server stays NULL without --port.  0, or the exit status (and a line was said). */
int viewers_listen(const struct launch *launch, struct server **server);

/* Serves the file `trace`.  goes: the program does not wait for a viewer.  0, or the exit status. */
int viewers_serve(struct server *server, int trace, bool goes);

#endif
