/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* M127 HOW: ends in one of the ways a program can, with ten blocks in its hands. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

/* The parent is gone when this works on: its heap is its own. */
static void daemonise(void)
{
	int ready[2];
	char byte;

	CHECK(pipe(ready) == 0);
	if (fork() > 0) {
		puts("OK");
		fflush(stdout);
		_exit(0);
	}
	close(ready[1]);
	setsid();
	CHECK(read(ready[0], &byte, 1) == 0);	/* the parent has ended */
	for (int i = 0; i < 10; i++)
		sink = malloc(1272);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	for (int i = 0; i < 10; i++)
		sink = malloc(1270);
	if (strcmp(how, "exec") == 0)
		execl(argv[0], argv[0], "_exit", NULL);
	else if (strcmp(how, "_exit") == 0)
		_exit(5);
	else if (strcmp(how, "quick_exit") == 0)
		quick_exit(6);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "daemon") == 0)
		daemonise();
	return hazard_done();
}
