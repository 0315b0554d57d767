/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choosing and calibrating the clock of the events. */
#include "launcher/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "launcher/counter.h"

#define CALIBRATE_NS	2000000u	/* two pairs this far apart give 20 ppm */
#define CPUS_CHECKED	16u
#define SKEW_NS		5000		/* an invariant but unsynchronised counter is off by far more */
#define RATE_PPM	300		/* NTP slews CLOCK_MONOTONIC by up to 500 for a while; rarely more than 100 */

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The pair with the narrowest window of several: an interruption in between spoils one. */
static struct clock_pair read_pair(void)
{
	struct clock_pair best = { 0, 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		uint64_t before = counter_read(), ns = monotonic_ns(), after = counter_read();

		if (after - before < width) {
			width = after - before;
			best = (struct clock_pair){ before + width / 2, ns };
		}
	}
	return best;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	nanosleep(&t, NULL);
}

/* Whether the kernel itself still trusts the counter; unknown counts as yes. */
static bool kernel_trusts(void)
{
	char text[256];
	ssize_t n;
	int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return true;
	text[n] = '\0';
	return counter_trusted_with(text);
}

/* What b's ns would be by a's pair and the rate of first..second. */
static int64_t deviation_ns(const struct clock_pair *first, const struct clock_pair *second,
			    const struct clock_pair *pair)
{
	double rate = (double)(second->ns - first->ns) / (double)(second->ticks - first->ticks);
	double ns = (double)(int64_t)(pair->ticks - first->ticks) * rate;

	return (int64_t)ns - (int64_t)(pair->ns - first->ns);
}

/* The counter must show the same time on every CPU that we may run on.  Each move takes a while:
 * none to where we are. */
static bool counters_agree(const struct clock_pair *first, const struct clock_pair *second)
{
	unsigned checked = 0, here = (unsigned)sched_getcpu() % CPU_SETSIZE;
	cpu_set_t mine, one;
	bool agree = true;

	if (sched_getaffinity(0, sizeof(mine), &mine))
		return true;
	for (unsigned i = 0; i < CPU_SETSIZE && agree && checked < CPUS_CHECKED; i++) {
		unsigned cpu = (here + i) % CPU_SETSIZE;
		struct clock_pair pair;
		int64_t off;

		if (!CPU_ISSET(cpu, &mine))
			continue;
		checked++;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		pair = read_pair();
		off = deviation_ns(first, second, &pair);
		agree = off < SKEW_NS && off > -SKEW_NS;
	}
	sched_setaffinity(0, sizeof(mine), &mine);
	return agree;
}

static bool counter_usable(struct clock *c)
{
	if (!counter_invariant() || !kernel_trusts())
		return false;
	for (;;) {
		c->newest = read_pair();
		if (c->newest.ns - c->first.ns >= CALIBRATE_NS)
			break;
		sleep_ns(CALIBRATE_NS - (c->newest.ns - c->first.ns));
	}
	return c->newest.ticks > c->first.ticks && counters_agree(&c->first, &c->newest);
}

double clock_tick_ns(const struct clock *c)
{
	if (c->source != CLOCK_TSC)
		return 1;
	return (double)(c->newest.ns - c->first.ns) / (double)(c->newest.ticks - c->first.ticks);
}

void clock_begin(struct clock *c, bool all_ticks)
{
	memset(c, 0, sizeof(*c));
	c->all_ticks = all_ticks;
	c->first = read_pair();
}

void clock_settle(struct clock *c)
{
	c->source = counter_usable(c) ? CLOCK_TSC : CLOCK_MONOTONIC_NS;
	if (c->all_ticks)
		return;
	while (clock_tick_ns(c) * (double)(1u << c->shift) < 32)
		c->shift++;
}

uint64_t clock_ticks(const struct clock *c)
{
	return c->source == CLOCK_TSC ? counter_read() : monotonic_ns();
}

int clock_refine(struct clock *c)
{
	struct clock_pair pair;
	double before, span;
	int64_t off;

	if (c->source != CLOCK_TSC)
		return 0;
	pair = read_pair();
	if (pair.ticks <= c->newest.ticks || pair.ns <= c->newest.ns)
		return -ERANGE;
	off = deviation_ns(&c->first, &c->newest, &pair);
	span = (double)(pair.ns - c->first.ns);
	before = (double)(c->newest.ns - c->first.ns);
	/* The old rate was known to about 60 ns over its own span. */
	if ((double)(off < 0 ? -off : off) > SKEW_NS + span * (RATE_PPM * 1e-6 + 300 / before))
		return -ERANGE;
	c->newest = pair;
	return 0;
}

struct trace_clock clock_record(const struct clock *c, uint64_t base_ticks)
{
	return (struct trace_clock){
		.base = base_ticks >> c->shift,
		.mult = (uint64_t)(clock_tick_ns(c) * (double)(1u << c->shift) * 4294967296.0 + 0.5),
	};
}

int64_t clock_ns(const struct clock *c, uint64_t base_ticks, uint64_t ticks)
{
	return (int64_t)((double)(int64_t)(ticks - base_ticks) * clock_tick_ns(c));
}
