/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The histogram that bench/stackid_hook.c fills and bench/stackid_print.c reads: clock ticks of each capture
 * of a stack. */
#ifndef BENCH_STACKID_H
#define BENCH_STACKID_H

#include <stdint.h>

#define STACKID_ENV "MEMTRACK_BENCH_STACKID"	/* the file */
#define STACKID_STEP 4u				/* ticks a bucket */
#define STACKID_BUCKETS 32768u

struct stackid_file {
	_Atomic uint64_t captures;
	_Atomic uint64_t beyond;	/* those that fit no bucket */
	uint64_t clock_ticks;		/* that reading the clock takes by itself, at the least */
	_Atomic uint32_t bucket[STACKID_BUCKETS];
};

#endif
