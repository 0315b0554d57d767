/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C21: a thread that never allocated forks, and a child is made with a bare clone. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void finish(pid_t pid)
{
	int status = -1;

	if (pid == 0) {
		for (int i = 0; i < 100; i++)
			free(malloc(2121));
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void *fork_first(void *unused)
{
	finish(fork());
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fork_first, NULL);
	pthread_join(thread, NULL);
	finish((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
	free(malloc(2122));
	return hazard_done();
}
