/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stackid_print FILE: what bench/stackid_hook.c took the time of, as
 *
 *	CAPTURES MEDIAN_NS MEAN_NS LEFT_OUT CLOCK_NS
 *
 * Captures of over 31 us (the program was preempted, or touched new pages) are left out of the mean. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/stackid.h"
#include "hook/raw.h"

#define LONGEST_NS 31000.0

static double nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double tick_ns(void)
{
	double begin = nanoseconds(), spent;
	uint64_t ticks = raw_ticks();

	do
		spent = nanoseconds() - begin;
	while (spent < 50e6);
	return spent / (double)(raw_ticks() - ticks);
}

static void print(const struct stackid_file *f, double ns)
{
	uint64_t all = f->captures, seen = 0, counted = 0;
	double median = 0, sum = 0;

	for (unsigned i = 0; i < STACKID_BUCKETS; i++) {
		double at = (i + 0.5) * STACKID_STEP * ns;

		if (seen * 2 < all)
			median = at;
		seen += f->bucket[i];
		if (at <= LONGEST_NS) {
			counted += f->bucket[i];
			sum += at * (double)f->bucket[i];
		}
	}
	printf("%llu %.1f %.1f %llu %.1f\n", (unsigned long long)all, median, counted ? sum / (double)counted : 0,
	       (unsigned long long)(all - counted), (double)f->clock_ticks * ns);
}

int main(int argc, char **argv)
{
	static struct stackid_file f;
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	int status = 0;

	if (!in || fread((void *)&f, sizeof(f), 1, in) != 1) {
		fprintf(stderr, "stackid_print: no times in %s\n", argc == 2 ? argv[1] : "no file");
		status = 1;
	} else {
		print(&f, tick_ns());
	}
	if (in)
		fclose(in);
	return status;
}
