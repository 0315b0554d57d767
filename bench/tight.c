/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tight [ROUNDS [THREADS]]: malloc and free from one place, two events a round; the rounds are shared among
 * the threads.  With one thread it is the main thread's, and the process has no other. */
#include "bench/workload.h"

#include <pthread.h>

static long rounds;

static void *worker(void *unused)
{
	(void)unused;
	for (long i = 0; i < rounds; i++) {
		void *p = malloc(16 + (size_t)(i & 127));

		KEEP(p);
		free(p);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKLOAD_THREADS_MAX];
	long count = workload_argument(argc, argv, 2, 1, 1, WORKLOAD_THREADS_MAX);

	rounds = workload_rounds(argc, argv, 10000000) / count + 1;
	if (count == 1) {
		worker(NULL);
		return 0;
	}
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
