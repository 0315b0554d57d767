/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N129: one thread allocates, another frees; never more than eight blocks are on the way. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

#define ROOM 8
#define BLOCKS 10000

static void *queue[ROOM];
static sem_t filled, empty;

static void *consume(void *unused)
{
	for (int i = 0; i < BLOCKS; i++) {
		sem_wait(&filled);
		free(queue[i % ROOM]);
		sem_post(&empty);
	}
	return unused;
}

int main(void)
{
	pthread_t consumer;

	setvbuf(stdout, NULL, _IONBF, 0);
	sem_init(&filled, 0, 0);
	sem_init(&empty, 0, ROOM);
	pthread_create(&consumer, NULL, consume, NULL);
	for (int i = 0; i < BLOCKS; i++) {
		sem_wait(&empty);
		queue[i % ROOM] = malloc(100000);
		sem_post(&filled);
	}
	pthread_join(consumer, NULL);
	return hazard_done();
}
