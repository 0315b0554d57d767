/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* I87: blocks from before the attach, and threads that end between it and the detach.  Nine small blocks in turn keep
 * glibc from noticing that one is freed twice. */
#include <pthread.h>

#include "tests/hazards/hazard.h"

#define OLDER	64

static void *volatile older[OLDER];

static void *leave(void *unused)
{
	for (int i = 0; i < 5; i++)
		older[i] = malloc(1787);
	return unused;
}

static void twice(void)
{
	void *volatile few[7], *volatile a, *volatile b;

	a = malloc(56);
	b = malloc(56);
	for (int i = 0; i < 7; i++)
		few[i] = malloc(56);
	for (int i = 0; i < 7; i++)
		free(few[i]);
	free(a);
	free(b);
	free(a);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	for (int i = 0; i < OLDER; i++)
		older[i] = malloc(1000);
	hazard_gate();
	for (int i = 0; i < OLDER / 2; i++)
		free(older[i]);
	for (int i = OLDER / 2; i < OLDER; i++)
		older[i] = realloc(older[i], 3000);
	if (argc > 1)
		twice();
	for (int i = 0; i < 3; i++) {
		CHECK(pthread_create(&thread, NULL, leave, NULL) == 0);
		pthread_join(thread, NULL);
	}
	if (argc > 2)
		hazard_gate();
	return hazard_done();
}
