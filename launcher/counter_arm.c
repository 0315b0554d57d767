/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The virtual counter of 64-bit ARM: architecturally constant and synchronous.  In the hook's unit, which
 * leaves a bit below (hook/raw_aarch64.h). */
#include "launcher/counter.h"

#ifdef __aarch64__

#include <string.h>

uint64_t counter_read(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks << 1 | 1;
}

bool counter_invariant(void)
{
	return true;
}

bool counter_trusted_with(const char *clocksources)
{
	return strstr(clocksources, "arch_sys_counter") != NULL;
}

#endif
