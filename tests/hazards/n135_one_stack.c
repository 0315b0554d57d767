/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N135: four threads leak from one call site at once: 200,000 blocks, 800,000 bytes. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

static void *__attribute__((noinline)) leak(void *unused)
{
	for (int i = 0; i < 50000; i++)
		sink = malloc(4);
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, leak, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return hazard_done();
}
