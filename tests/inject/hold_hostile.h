/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What hold_hostile and the tests share, in memory. */
#ifndef TESTS_INJECT_HOLD_HOSTILE_H
#define TESTS_INJECT_HOLD_HOSTILE_H

#include <stdatomic.h>
#include <stdint.h>

#define HOSTILE_COUNTS	512u

struct hostile {
	_Atomic uint32_t stop, wrong, signals;
	_Atomic uint64_t count[HOSTILE_COUNTS];	/* of each thread */
};

#endif
