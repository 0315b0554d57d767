/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J94: a program with a limit locks all of its memory: only what is its own. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/hazards/hazard.h"

#define NOBODY	65534
#define BLOCK	((size_t)1 << 20)	/* mapped by malloc, not touched */
#define LIMIT	((rlim_t)8 << 20)

static long status_kib(const char *key)
{
	char line[256];
	long value = -1;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			value = atol(line + strlen(key));
	if (file)
		fclose(file);
	return value;
}

static int all_there(char *block)
{
	unsigned char pages[BLOCK / 4096];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = BLOCK / page - 2;
	char *start = block + (page - (size_t)block % page);

	if (mincore(start, count * page, pages) != 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!(pages[i] & 1))
			return 0;
	return 1;
}

int main(void)
{
	struct rlimit limit = { LIMIT, LIMIT }, least = { 65536, LIMIT };
	char *block;

	hazard_gate();
	block = malloc(BLOCK);
	CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	if (geteuid() == 0)
		CHECK(setuid(NOBODY) == 0);
	CHECK(setrlimit(RLIMIT_MEMLOCK, &least) == 0);
	CHECK(mlockall(MCL_CURRENT) == -1 && errno == ENOMEM);
	CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
	CHECK(all_there(block));
	CHECK(status_kib("VmLck:") >= (long)(BLOCK >> 10));
	CHECK(status_kib("VmLck:") < (long)(LIMIT >> 10));
	CHECK(status_kib("VmRSS:") < (long)(LIMIT >> 10));
	CHECK(munlockall() == 0 && status_kib("VmLck:") == 0);
	CHECK(mlockall(MCL_CURRENT | MCL_ONFAULT) == 0 && status_kib("VmLck:") >= (long)(BLOCK >> 10));
	free(block);
	return hazard_done();
}
