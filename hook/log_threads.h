/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads as the log's consumer sees them: names, totals, exits, slots that come free. */
#ifndef HOOK_LOG_THREADS_H
#define HOOK_LOG_THREADS_H

#include <stdbool.h>
#include <stdint.h>

struct channel_thread;

/* The owner, when its slot is claimed. */
void log_threads_start(struct channel_thread *t, const char *name);

/* Is there a thread in the slot?  Learns its name. */
bool log_threads_ready(uint32_t slot);

/* Writes and takes the slot's next event, which is there. False: the log cannot be written. */
bool log_threads_event(uint32_t slot);

/* Gives the slots of threads that are gone back; count slots are in use.  last: the process ends,
 * those that died without a word get their EXIT line. */
void log_threads_reclaim(uint32_t count, bool last);

#endif
