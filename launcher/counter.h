/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU's time counter; one implementation per CPU (counter_x86.c, counter_arm.c). */
#ifndef LAUNCHER_COUNTER_H
#define LAUNCHER_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* The counter as the hook reads it. */
uint64_t counter_read(void);

/* It runs at one rate whatever the CPU does, by the CPU's own word. */
bool counter_invariant(void);

/* clocksources: the kernel's list of usable ones, blank-separated.  False when the kernel has
 * seen the counter misbehave, which takes it off the list. */
bool counter_trusted_with(const char *clocksources);

#endif
