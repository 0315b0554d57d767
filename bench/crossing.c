/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crossing [ROUNDS [THREADS]]: threads, four if not told; each hands its blocks to the next, which frees them. */
#include "bench/workload.h"

#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 1024

static _Atomic(void *) mailbox[WORKLOAD_THREADS_MAX][SLOTS];
static long rounds;
static size_t count;

/* Posts a block to the neighbour; what still lies there is freed by whoever finds it first. */
static void *worker(void *argument)
{
	size_t self = (size_t)argument, next = (self + 1) % count;

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
	pthread_t threads[WORKLOAD_THREADS_MAX];

	count = (size_t)workload_argument(argc, argv, 2, 4, 1, WORKLOAD_THREADS_MAX);
	rounds = workload_rounds(argc, argv, 2000000) / (long)count + 1;
	for (size_t i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < count * SLOTS; i++)
		free(mailbox[i / SLOTS][i % SLOTS]);
	puts("crossed");
	return 0;
}
