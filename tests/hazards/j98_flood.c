/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J98 [stop]: more events than the buffers hold, made while nobody can drain them: it stops its
 * parent, memtrack, for that time.  Without `stop`: from handlers and around forks. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

#define BLOCKS 200000

static volatile int interruptions;

static void interrupt(int signal)
{
	(void)signal;
	for (int i = 0; i < 50; i++)
		free(malloc(9899));
	interruptions++;
}

/* free and malloc take no lock that a handler could find held: the blocks come from this thread's
 * cache, filled before. */
static void flood(void)
{
	for (int i = 0; i < BLOCKS; i++)
		free(malloc(9898));
}

/* The handler may only allocate where it interrupts no allocation. */
static void flood_with_handlers(void)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	for (int i = 0; i < 100; i++) {
		sigprocmask(SIG_BLOCK, &alarm, NULL);
		for (int j = 0; j < BLOCKS / 100; j++)
			free(malloc(9898));
		raise(SIGALRM);
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
		if (i % 10 == 0 && fork() == 0) {
			free(malloc(9897));
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	CHECK(interruptions == 100);
}

int main(int argc, char **argv)
{
	signal(SIGALRM, interrupt);
	if (argc > 1 && strcmp(argv[1], "stop") == 0) {
		kill(getppid(), SIGSTOP);
		flood();
		kill(getppid(), SIGCONT);
	} else {
		flood_with_handlers();
	}
	return hazard_done();
}
