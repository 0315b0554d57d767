/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate for CI: does the trace stay within bounds? */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/heap.h"

struct buffer;

#define CHECK_NO_LIMIT	UINT64_MAX

struct check_options {
	uint64_t max_leaked;	/* bytes that may be leaked; 0: none */
	uint64_t max_peak;	/* CHECK_NO_LIMIT: any */
	uint64_t max_count;	/* allocations; CHECK_NO_LIMIT: any */
	const char *suppressions; /* text: one pattern a line (leak:GLOB, # comments); NULL: none */
	bool findings;		/* mismatched, double and wild frees count too (not inferred ones) */
};
#define CHECK_OPTIONS_INIT	{ 0, CHECK_NO_LIMIT, CHECK_NO_LIMIT, NULL, false }

/* A sampled trace is judged by the 95 % margins: found when even the low end is above a limit (a
 * leak that was recorded is one), clean when the high end is not, else it cannot tell.
 *
 * After heap_end().  Appends what was found to out.  Returns 0 clean, 1 found something, 2 cannot
 * tell: the trace is damaged, has no end, or its sample is too thin. */
int check_heap(struct heap *heap, const struct check_options *options, struct buffer *out);

#endif
