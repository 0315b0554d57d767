/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the synthetic workloads share: their arguments, the first of which is a number of rounds. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdio.h>
#include <stdlib.h>

#define WORKLOAD_THREADS_MAX 64

/* Argument number `at`, or the default. */
static inline long workload_argument(int argc, char **argv, int at, long fallback, long least,
					long most)
{
	long value = argc > at ? strtol(argv[at], NULL, 10) : fallback;

	if (value < least || value > most) {
		fprintf(stderr, "%s: argument %d must be a number from %ld to %ld, not %s\n", argv[0], at, least,
			most, argv[at]);
		exit(2);
	}
	return value;
}

static inline long workload_rounds(int argc, char **argv, long fallback)
{
	return workload_argument(argc, argv, 1, fallback, 1, 1000000000000);
}

/* The compiler must believe that p is used. */
#define KEEP(p) __asm__ volatile("" : "+r"(p) : : "memory")

#endif
