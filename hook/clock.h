/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook's time stamps: raw ticks when the launcher found the counter sound, else nanoseconds. */
#ifndef HOOK_CLOCK_H
#define HOOK_CLOCK_H

#include <stdint.h>

#include "hook/core.h"

uint64_t clock_nanoseconds(void);	/* CLOCK_MONOTONIC through libc's vDSO call */

/* The same from the vDSO itself, whose ELF header is there. */
void clock_from_vdso(uintptr_t header);

static inline uint64_t hook_stamp(void)
{
	return likely(hook.clock == CLOCK_TSC) ? raw_ticks() : clock_nanoseconds();
}

#endif
