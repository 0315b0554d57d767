/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A10: knows its own mappings: nothing of the tool's may stand beside them. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

static void *use(void *unused)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(1010 + i));
	return unused;
}

int main(void)
{
	pthread_t thread;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 3; i++)
		CHECK(mmap(NULL, 101 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
			MAP_FAILED);
	pthread_create(&thread, NULL, use, NULL);
	pthread_join(thread, NULL);
	return hazard_done();
}
