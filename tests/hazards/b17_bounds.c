/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B17: threads that ask for their own stack's bounds, which allocates. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *visit(void *unused)
{
	pthread_attr_t attributes;

	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);

	for (int i = 0; i < 20; i++) {
		CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
		pthread_attr_destroy(&attributes);
		free(malloc(1717));
	}
	return unused;
}

int main(void)
{
	pthread_t threads[50];

	pthread_mutex_lock(&gate);
	for (int i = 0; i < 50; i++)
		CHECK(pthread_create(&threads[i], NULL, visit, NULL) == 0);
	hazard_gate();
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < 50; i++)
		pthread_join(threads[i], NULL);
	return hazard_done();
}
