/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D30: handlers that map pages while a thread makes its very first call. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

#define THREADS 500

static _Atomic int begun, interruptions;

static void interrupt(int signal)
{
	(void)signal;
	munmap(mmap(NULL, 30 << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 30 << 12);
	interruptions++;
}

static void *first_call(void *number)
{
	begun = (int)(long)number;
	free(malloc(3033));
	while (interruptions < (int)(long)number)
		sched_yield();
	return NULL;
}

int main(void)
{
	signal(SIGUSR1, interrupt);
	for (long i = 1; i <= THREADS; i++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, first_call, (void *)i) == 0);
		while (begun < i)
			sched_yield();
		for (volatile long wait = 0; wait < i % 50 * 200; wait++)
			;
		pthread_kill(thread, SIGUSR1);
		pthread_join(thread, NULL);
	}
	CHECK(interruptions == THREADS);
	return hazard_done();
}
