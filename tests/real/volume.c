/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* volume ROUNDS: two events a round from two threads, then says how many kilobytes of memory of its
 * own it has. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long rounds;

static void *churn(void *unused)
{
	for (long i = 0; i < rounds / 2; i++) {
		void *p = malloc(16 + (size_t)(i & 255));

		__asm__ volatile("" : "+r"(p) : : "memory");
		free(p);
	}
	return unused;
}

int main(int argc, char **argv)
{
	char line[256];
	pthread_t thread;
	FILE *status;

	rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 2;
	pthread_create(&thread, NULL, churn, NULL);
	churn(NULL);
	pthread_join(thread, NULL);
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, "RssAnon:", 8) == 0)
			printf("%ld\n", strtol(line + 8, NULL, 10));
	return 0;
}
