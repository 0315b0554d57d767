/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J99: uses up all the mappings that a process may have, then allocates from old and new threads. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

#define PAGES 140000ul

static void *use(void *unused)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(9999));
	return unused;
}

/* Every other page of other rights is a mapping of its own. */
static int split(char *pages)
{
	for (unsigned long i = 0; i < PAGES; i += 2)
		if (mprotect(pages + (i << 12), 4096, PROT_READ) < 0)
			return errno;
	return 0;
}

int main(void)
{
	char *pages = mmap(NULL, PAGES << 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t small;
	pthread_t thread;

	CHECK(split(pages) == ENOMEM);
	use(NULL);
	munmap(pages, 64 << 12);	/* room for a stack */
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	CHECK(pthread_create(&thread, &small, use, NULL) == 0);
	pthread_join(thread, NULL);
	return hazard_done();
}
