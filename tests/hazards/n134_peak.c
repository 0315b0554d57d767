/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N134: eight threads hold a million bytes each at one moment; what is left at the end is small. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static pthread_barrier_t all;
static void *volatile sink;

static void *hold(void *unused)
{
	void *block = malloc(1000000);

	pthread_barrier_wait(&all);
	free(block);
	return unused;
}

int main(void)
{
	pthread_t threads[8];

	pthread_barrier_init(&all, NULL, 8);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, hold, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 6; i++)
		sink = malloc(134);
	return hazard_done();
}
