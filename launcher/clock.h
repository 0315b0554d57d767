/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock that stamps events: which one the hook shall read, and how its ticks become time.
 *
 * The time-stamp counter is used when the CPU calls it invariant, the kernel has not given it up
 * and it agrees with CLOCK_MONOTONIC on every CPU we may run on; else CLOCK_MONOTONIC itself.
 * One clock serves all sessions of a launcher. */
#ifndef LAUNCHER_CLOCK_H
#define LAUNCHER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/channel.h"
#include "trace/format.h"

/* A moment read on both clocks. */
struct clock_pair {
	uint64_t ticks, ns;
};

struct clock {
	enum channel_clock source;	/* for settings.clock */
	bool all_ticks;
	unsigned shift;			/* a quantum of the file is 1 << shift ticks, 32..64 ns */
	struct clock_pair first, newest; /* the rate is the slope between them */
};

/* Take the first reading.  all_ticks: shift 0. */
void clock_begin(struct clock *c, bool all_ticks);

/* Choose the clock: compares the CPUs and waits until 2 ms have passed since clock_begin.  Only
 * then the rest of *c is valid.  The calling thread visits every CPU. */
void clock_settle(struct clock *c);

/* Now, in ticks of the chosen clock. */
uint64_t clock_ticks(const struct clock *c);

/* Nanoseconds in a tick. */
double clock_tick_ns(const struct clock *c);

/* Take a new pair: the longer the run, the better the rate.  0, or -ERANGE when the two clocks
 * have come apart since clock_settle (a CPU without a steady counter, a suspended machine). */
int clock_refine(struct clock *c);

/* The CLOCK record for a trace whose time starts at base_ticks. */
struct trace_clock clock_record(const struct clock *c, uint64_t base_ticks);

/* Nanoseconds from base_ticks to ticks; negative when it is before. */
int64_t clock_ns(const struct clock *c, uint64_t base_ticks, uint64_t ticks);

#endif
