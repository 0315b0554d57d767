/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constructor waits, under the loader's lock, for threads whose first call is malloc. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 4

static int done;

static void *work(void *argument)
{
	free(malloc(8001));
	return argument;
}

static __attribute__((constructor)) void wait_for_threads(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0)
			done++;
	}
}

int constructor_count(void);
int constructor_count(void)
{
	return done;
}
