/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the synthetic workloads share: their one argument, a number of rounds. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdio.h>
#include <stdlib.h>

/* The argument, or the default. */
static inline long workload_rounds(int argc, char **argv, long fallback)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : fallback;

	if (rounds < 1) {
		fprintf(stderr, "%s: ROUNDS must be a positive number, not %s\n", argv[0], argv[1]);
		exit(2);
	}
	return rounds;
}

/* The compiler must believe that p is used. */
#define KEEP(p) __asm__ volatile("" : "+r"(p) : : "memory")

#endif
