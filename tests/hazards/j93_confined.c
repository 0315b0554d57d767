/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J93: goes into an empty root and gives up its user before it allocates in earnest. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

static void __attribute__((noinline)) last_words(void)
{
	sink = malloc(12345);
}

int main(void)
{
	CHECK(mkdir("cell", 0755) == 0 && chroot("cell") == 0 && chdir("/") == 0);
	CHECK(setgid(65534) == 0 && setuid(65534) == 0 && access("/tmp", F_OK) < 0);
	for (int i = 0; i < 50000; i++)
		free(malloc(9393));
	last_words();
	return hazard_done();
}
