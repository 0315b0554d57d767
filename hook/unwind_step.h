/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One step of a walk that is not plain: signal frames, odd CFAs, code without CFI. */
#ifndef HOOK_UNWIND_STEP_H
#define HOOK_UNWIND_STEP_H

#include <stdint.h>

#include "hook/rows.h"
#include "hook/unwind_walk.h"

/* Moves *s to the caller by `rule`.  0: done; else the enum stack_root that the walk ends with.  The
 * frame is the last of the n that the walk has found, innermost first. */
uint32_t step_special(struct walk_state *s, const struct rule *rule,
		      const struct channel_thread *thread, struct bounds_cache *cache,
		      const struct walk_frame *frames, unsigned n);

#endif
