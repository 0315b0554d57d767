/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a thread's ring in order. */
#ifndef HOOK_LOG_CURSOR_H
#define HOOK_LOG_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct channel_event;
struct log_thread;

/* An event of no function: the bytes its thread has allocated so far, those of blocks that are
 * left out included; it follows the allocation it is about. */
#define LOG_TOTAL_MARK	0x6c61746f746d656dull

/* The next event of slot's thread, not taken yet; NULL when there is none, or it is still being
 * written. */
const struct channel_event *cursor_peek(struct log_thread *l, uint32_t slot);

/* The one behind it, if that is there too. */
const struct channel_event *cursor_second(const struct log_thread *l);

/* The smallest stamp of the next few: a release is published behind what a signal handler did
 * in the middle of it, and yet comes first. */
uint64_t cursor_key(const struct log_thread *l);

void cursor_take(struct log_thread *l);

/* Has all that the thread ever published been taken?  Only true at rest for a thread that ended. */
bool cursor_empty(const struct log_thread *l, uint32_t slot);

/* Gives the chunk of a thread that is gone back. */
void cursor_leave(struct log_thread *l);

/* Wakes the threads that wait for a chunk, if some came back. */
void cursor_wake(void);

#endif
