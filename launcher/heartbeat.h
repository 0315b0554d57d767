/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the targets see that the launcher lives: a thread that owns a robust futex in every
 * segment (the kernel marks it FUTEX_OWNER_DIED whenever and however the launcher dies) and
 * moves a counter ten times a second (which stops while the launcher is only stopped). */
#ifndef LAUNCHER_HEARTBEAT_H
#define LAUNCHER_HEARTBEAT_H

#include <stdbool.h>

#include "launcher/segment.h"

#define HEARTBEAT_MS	100
#define HEARTBEAT_HOLDS	1000	/* segments at a time; the kernel walks 2048 entries */

struct heartbeat;

/* Starts the thread.  0 or -errno. */
int heartbeat_new(struct heartbeat **result);

/* Takes the segment's owner word; call before any target sees the segment.  The segment must
 * outlive heartbeat_drop.  0 or -errno (-ENOSPC: more segments than the kernel would walk). */
int heartbeat_hold(struct heartbeat *heartbeat, const struct segment *segment);

/* The orderly end of a session: sets `closing`, gives up the owner word and wakes whoever waits
 * on it, on `go`, or for room in a ring.  Harmless when the segment is not held. */
void heartbeat_drop(struct heartbeat *heartbeat, const struct segment *segment);

/* The inodes of the segments that are held, at most max of them.  Their number. */
size_t heartbeat_inodes(struct heartbeat *heartbeat, uint64_t *inodes, size_t max);

/* Some segment that is held passes the test. */
bool heartbeat_any(struct heartbeat *heartbeat, bool (*test)(const struct segment *));

/* Pauses the recording into all segments that are held, or lets it go on. */
void heartbeat_pause(struct heartbeat *heartbeat, bool paused);

/* Drops what is still held and ends the thread. */
void heartbeat_free(struct heartbeat *heartbeat);

#endif
