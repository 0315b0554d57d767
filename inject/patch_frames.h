/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that stand inside bytes about to be overwritten are led to the same instruction elsewhere:
 * their program counters, and those that signal frames on their stacks will bring back. */
#ifndef INJECT_PATCH_FRAMES_H
#define INJECT_PATCH_FRAMES_H

#include "inject/threads.h"
#include "symbols/maps.h"

struct frames_move {
	uint64_t from, to;		/* of one instruction */
};

/* For all held threads, whose mappings are maps.  moves ascend by from.  0 or -errno; what was moved stays right whether
 * anything is overwritten afterwards or not. */
int frames_lead_away(struct injection *, const struct maps *, const struct frames_move *moves, size_t count);

/* Whether a held thread is in [start, end), or was interrupted there by a signal whose handler still runs; with
 * `returns` also whether its stack holds any word that leads there. */
int frames_inside(struct injection *, const struct maps *, uint64_t start, uint64_t end, bool returns, bool *inside);

#endif
