/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C22: children leak, the parent leaks; each in its own heap. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

static void __attribute__((noinline)) parent_leak(void)
{
	for (int i = 0; i < 1000; i++)
		sink = malloc(10);
}

static void __attribute__((noinline)) child_leak(void)
{
	for (int i = 0; i < 7; i++)
		sink = malloc(1 << 20);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			child_leak();
			_exit(0);
		}
	parent_leak();
	while (wait(NULL) > 0)
		;
	return hazard_done();
}
