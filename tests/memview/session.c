/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program to be recorded live: allocates, releases and forgets blocks in two threads, in SESSION_TURNS
 * turns with a rest behind each. Exit status 4. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SESSION_TURNS	40
#define BLOCKS		40

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
}

/* Every fifth block of a turn is forgotten, the others live until the next. */
static void *work(void *arg)
{
	char *kept[BLOCKS] = { NULL };
	size_t base = *(const size_t *)arg;

	for (int turn = 0; turn < SESSION_TURNS; turn++) {
		for (int i = 0; i < BLOCKS; i++) {
			if (i % 5)
				free(kept[i]);
			kept[i] = malloc(base + (size_t)(turn * BLOCKS + i));
			if (kept[i])
				memset(kept[i], turn, base);
		}
		rest();
	}
	for (int i = 0; i < BLOCKS; i++)
		free(kept[i]);
	return NULL;
}

int main(void)
{
	size_t small = 32, large = 5000;
	pthread_t other;

	if (pthread_create(&other, NULL, work, &large) == 0) {
		pthread_setname_np(other, "large");
		work(&small);
		pthread_join(other, NULL);
	}
	return 4;
}
