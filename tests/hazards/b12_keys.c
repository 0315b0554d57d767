/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B12: key destructors free blocks and set other keys again, round after round. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static pthread_key_t first, second;

static void destroy_first(void *block)
{
	free(block);
	pthread_setspecific(second, malloc(1221));
}

static void destroy_second(void *block)
{
	free(block);
	pthread_setspecific(first, malloc(1222));
}

static void *visit(void *unused)
{
	pthread_setspecific(first, malloc(1220));
	return unused;
}

int main(void)
{
	pthread_t thread;

	CHECK(pthread_key_create(&first, destroy_first) == 0);
	CHECK(pthread_key_create(&second, destroy_second) == 0);
	for (int i = 0; i < 50; i++) {
		CHECK(pthread_create(&thread, NULL, visit, NULL) == 0);
		pthread_join(thread, NULL);
	}
	return hazard_done();
}
