/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of readable memory that the hook asks for when it meets a stack that is no thread's
 * own: coroutines, alternate signal stacks. */
#ifndef LAUNCHER_RANGES_H
#define LAUNCHER_RANGES_H

#include <stdint.h>
#include <sys/types.h>

#include "trace/channel.h"

/* How far one region's wishes are fulfilled. */
struct ranges {
	uint32_t answered;	/* ranges_wanted at the last answer */
	uint64_t again_ns;	/* no new answer before (a target that asks in vain is slowed down) */
	uint64_t pause_ns;
	uint64_t digest;	/* of what was published last */
};

/* Looks whether the region wants its table, and if so fills it from /proc/PID/maps.
 * now_ns is CLOCK_MONOTONIC. */
void ranges_update(struct ranges *ranges, struct channel_region *region, pid_t pid, uint64_t now_ns);

#endif
