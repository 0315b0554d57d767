/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Milliseconds of a clock that only goes forward. */
#ifndef MEMVIEW_NOW_H
#define MEMVIEW_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif
