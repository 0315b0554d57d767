/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C19: children of a process whose threads allocate all the time; also through system and popen. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static volatile int stop;

static void *churn(void *seed)
{
	unsigned state = (unsigned)(size_t)seed;

	while (!stop) {
		free(malloc(rand_r(&state) % 5000 + 1));
		usleep(100);
	}
	return seed;
}

static int child_status(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		alarm(60);
		for (int i = 0; i < 100; i++)
			free(malloc(i * 50 + 1));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void read_pipe(void)
{
	FILE *pipe = popen("echo text", "r");
	char line[16] = "";

	CHECK(pipe && fgets(line, sizeof(line), pipe) && line[0] == 't');
	CHECK(pipe && pclose(pipe) == 0);
}

int main(void)
{
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
	for (int i = 0; i < 100; i++)
		CHECK(child_status() == 0);
	for (int i = 0; i < 3; i++) {
		CHECK(system("true") == 0);
		read_pipe();
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return hazard_done();
}
