/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J94 LIMIT: lowers one of its limits to next to nothing, then allocates until it knows. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static const struct {
	const char *name;
	int which;
	rlim_t value;
} limits[] = {
	{ "as", RLIMIT_AS, 0 },		/* 0: what is in use and 8 MiB */
	{ "data", RLIMIT_DATA, 16 << 20 },
	{ "fsize", RLIMIT_FSIZE, 4096 },	/* its own words fit */
	{ "nofile", RLIMIT_NOFILE, 3 },
	{ "stack", RLIMIT_STACK, 128 << 10 },
	{ "nproc", RLIMIT_NPROC, 0 },
	{ "memlock", RLIMIT_MEMLOCK, 0 },
};

static rlim_t in_use(void)
{
	FILE *in = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!in || fscanf(in, "%lu", &pages) != 1)
		abort();
	fclose(in);
	return pages << 12;
}

static void limit(const char *name)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (strcmp(name, limits[i].name) == 0) {
			rlim_t value = limits[i].value;
			struct rlimit both;

			if (limits[i].which == RLIMIT_AS)
				value = in_use() + (8 << 20);
			both.rlim_cur = both.rlim_max = value;
			CHECK(setrlimit(limits[i].which, &both) == 0);
		}
}

static void *use(void *unused)
{
	for (int i = 0; i < 2000; i++)
		free(malloc(9494));
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t thread;
	void *huge;

	limit(argc > 1 ? argv[1] : "");
	use(NULL);
	errno = 0;
	huge = malloc(512ul << 20);
	printf("half a gigabyte: %s\n", huge ? "yes" : strerror(errno));
	free(huge);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	if (pthread_create(&thread, &small, use, NULL) == 0)
		pthread_join(thread, NULL);
	return hazard_done();
}
