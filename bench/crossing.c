/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crossing [ROUNDS]: four threads; each hands its blocks to the next, which frees them. */
#include "bench/workload.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define SLOTS 1024

static _Atomic(void *) mailbox[THREADS][SLOTS];
static long rounds;

/* Posts a block to the neighbour; what still lies there is freed by whoever finds it first. */
static void *worker(void *argument)
{
	size_t self = (size_t)argument, next = (self + 1) % THREADS;

	for (long i = 0; i < rounds; i++) {
		void *p = malloc(16 + (size_t)(i & 255));

		KEEP(p);
		free(atomic_exchange(&mailbox[next][i % SLOTS], p));
		free(atomic_exchange(&mailbox[self][i * 7 % SLOTS], NULL));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	rounds = workload_rounds(argc, argv, 2000000) / THREADS + 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS * SLOTS; i++)
		free(mailbox[i / SLOTS][i % SLOTS]);
	puts("crossed");
	return 0;
}
