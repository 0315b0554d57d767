/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook's time stamps: raw ticks when the launcher found the counter sound, else nanoseconds. */
#ifndef HOOK_CLOCK_H
#define HOOK_CLOCK_H

#include <stdint.h>

#include "hook/core.h"

uint64_t clock_nanoseconds(void);	/* CLOCK_MONOTONIC through libc's vDSO call */

static inline uint64_t hook_stamp(void)
{
	return likely(hook.clock == CLOCK_TSC) ? raw_ticks() : clock_nanoseconds();
}

#endif
