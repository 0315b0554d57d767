/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that copies a growing file to a descriptor: to a viewer's socket, to stdout, to a
 * pipe.  Whoever reads slowly, or not at all, holds up nobody but this thread. */
#ifndef LAUNCHER_PUMP_H
#define LAUNCHER_PUMP_H

#include <stdbool.h>

struct pump;

/* Copies `file` (with pread, from its start, as it grows) to sink, which the pump owns from now
 * on.  file stays open until pump_finish.  Never NULL unless no thread can be had (errno). */
struct pump *pump_new(int file, int sink);

/* The sink is gone or refuses: nothing more will be written.  May be asked at any time. */
bool pump_is_dead(const struct pump *pump);

/* The file will not grow any more: the pump sends the rest and ends. */
void pump_end(struct pump *pump);

/* pump_end, then waits while the other side goes on reading, closes the sink and frees.
 * 0, or -errno of the sink; -ETIMEDOUT when nothing moved for patience_ms (0: for ever). */
int pump_finish(struct pump *pump, unsigned patience_ms);

#endif
