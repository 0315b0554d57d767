/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Its constructor waits for a thread that allocates. */
#include <pthread.h>
#include <stdlib.h>

static void *use(void *unused)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(1616));
	return unused;
}

__attribute__((constructor)) static void wait_for_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use, NULL);
	pthread_join(thread, NULL);
}
