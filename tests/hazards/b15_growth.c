/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B15: threads whose table of thread-local blocks has to grow as more libraries come. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

#define THREADS 8
#define ROUNDS 8

static char *(*touch[ROUNDS])(void);
static pthread_barrier_t ready, loaded;

static void *visit(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&ready);
		pthread_barrier_wait(&loaded);
		CHECK(touch[i] && touch[i]());
		free(malloc(1515));
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&ready, NULL, THREADS + 1);
	pthread_barrier_init(&loaded, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, visit, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		void *library;

		pthread_barrier_wait(&ready);
		library = dlmopen(i % 2 ? LM_ID_BASE : LM_ID_BASE, argv[1 + i % (argc - 1)], RTLD_NOW);
		touch[i] = library ? (char *(*)(void))dlsym(library, "touch") : NULL;
		pthread_barrier_wait(&loaded);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return hazard_done();
}
