/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user is told when a trace is complete. */
#ifndef LAUNCHER_RESULT_H
#define LAUNCHER_RESULT_H

#include "launcher/launch.h"
#include "launcher/process.h"
#include "launcher/serve.h"

/* Losses, the report if it is wanted, where the trace is.  server may be NULL. */
void result_tell(const struct launch *launch, const struct process *process, const struct server *server);

#endif
