/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D31: every signal is the program's: no foreign handler, nothing blocked, none lost to a helper. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static volatile int got[65];

static void count(int signal)
{
	got[signal]++;
}

static void *wait_for_all(void *unused)
{
	sigset_t all;
	int signal;

	sigfillset(&all);
	for (int i = 0; i < 200; i++) {
		sigwait(&all, &signal);
		got[signal]++;
		free(malloc(3131));
	}
	return unused;
}

static void look_at_dispositions(void)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int s = 1; s < 65; s++) {
		struct sigaction action;

		CHECK(sigismember(&blocked, s) <= 0);
		if (sigaction(s, NULL, &action) == 0)
			CHECK(action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
	}
}

int main(void)
{
	pthread_t waiter;
	sigset_t all;

	look_at_dispositions();
	signal(SIGUSR1, count);
	signal(SIGUSR2, count);
	free(malloc(5));
	raise(SIGUSR1);
	raise(SIGUSR2);
	CHECK(got[SIGUSR1] == 1 && got[SIGUSR2] == 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	pthread_create(&waiter, NULL, wait_for_all, NULL);
	for (int i = 0; i < 200; i++) {
		CHECK(kill(getpid(), SIGRTMIN + 3) == 0);
		usleep(200);
	}
	pthread_join(waiter, NULL);
	CHECK(got[SIGRTMIN + 3] == 200);
	return hazard_done();
}
