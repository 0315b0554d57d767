/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines on their way out: whole events, at most one buffer size in a write. */
#ifndef HOOK_LOG_OUT_H
#define HOOK_LOG_OUT_H

#include <stdbool.h>
#include <stdint.h>

struct channel_event;
struct log_thread;

/* An event's line and its frames; what is full goes out first. false: it could not be written. */
bool log_out_event(struct log_thread *l, const struct channel_event *e, uint64_t total);

/* Writes what there is. */
bool log_out_flush(void);

/* After a write that never came back: works out how much of the buffer went out. */
void log_out_recover(void);

#endif
