/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C20: fork handlers that allocate, and that wait for a thread which allocates. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static pthread_barrier_t asked, answered;
static pid_t self;
static volatile int stop;

static void *serve(void *unused)
{
	for (;;) {
		bool last;

		pthread_barrier_wait(&asked);
		last = stop;
		free(malloc(2020));
		pthread_barrier_wait(&answered);
		if (last)
			return unused;
	}
}

static void ask(void)
{
	free(malloc(2021));
	if (getpid() == self) {
		pthread_barrier_wait(&asked);
		pthread_barrier_wait(&answered);
	}
}

int main(void)
{
	pthread_t thread;

	self = getpid();
	pthread_barrier_init(&asked, NULL, 2);
	pthread_barrier_init(&answered, NULL, 2);
	pthread_create(&thread, NULL, serve, NULL);
	pthread_atfork(ask, ask, ask);
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();
		int status = -1;

		if (pid == 0) {
			alarm(60);
			free(malloc(2022));
			_exit(0);
		}
		waitpid(pid, &status, 0);
		CHECK(status == 0);
	}
	stop = 1;
	ask();
	pthread_join(thread, NULL);
	return hazard_done();
}
