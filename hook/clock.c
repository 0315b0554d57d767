/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fallback clock. */
#include "hook/clock.h"

#include <time.h>

#include "hook/resolve.h"

typedef int clock_gettime_fn(clockid_t, struct timespec *);

uint64_t clock_nanoseconds(void)
{
	static clock_gettime_fn *_Atomic function;
	clock_gettime_fn *f = function;
	struct timespec t = { 0, 0 };

	if (!f) {
		f = (clock_gettime_fn *)resolve_real("clock_gettime", 0);
		function = f;
	}
	if (f)
		f(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
