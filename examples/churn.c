/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A server's day in two seconds: many short-lived buffers, a few of which leave something behind.
 *
 *	churn [ROUNDS]
 *
 * Every round makes REQUESTS buffers of 64 bytes to 8 KiB, and beside each sixteenth a small
 * session that stays; then the buffers go.  Half of the sessions end after five rounds.  What an allocator cannot use
 * again between the sessions is fragmentation.  The same numbers come every time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REQUESTS	2000u
#define SESSIONS	(REQUESTS / 16)
#define ROUNDS_MAX	100u
#define SESSION_BYTES	200u
#define STAYS		5u	/* rounds */

static void *session[ROUNDS_MAX][SESSIONS];
static unsigned long made, made_bytes;

static uint32_t random_next(void)
{
	static uint64_t state = 42;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Small ones are many. */
static size_t buffer_size(void)
{
	return (size_t)64 << random_next() % 7 | (random_next() & 63);
}

static void *make(size_t size)
{
	void *p = malloc(size);

	if (!p)
		abort();
	made++;
	made_bytes += size;
	return memset(p, 1, size);
}

static void serve(unsigned round)
{
	static void *buffer[REQUESTS];

	for (unsigned i = 0; i < REQUESTS; i++) {
		buffer[i] = make(buffer_size() + round % 4 * 512);
		if (i % 16 == 0)
			session[round][i / 16] = make(SESSION_BYTES);
	}
	for (unsigned i = 0; i < REQUESTS; i++)
		free(buffer[i]);
}

static void end_sessions(unsigned round, unsigned step)
{
	for (unsigned i = 0; i < SESSIONS; i += step) {
		free(session[round][i]);
		session[round][i] = NULL;
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	const struct timespec pause = { 0, 100000000 };

	if (rounds > ROUNDS_MAX)
		rounds = ROUNDS_MAX;
	for (unsigned round = 0; round < rounds; round++) {
		serve(round);
		if (round >= STAYS)
			end_sessions(round - STAYS, 2);
		nanosleep(&pause, NULL);
	}
	for (unsigned round = 0; round < rounds; round++)
		end_sessions(round, 1);
	printf("%u rounds, %lu blocks of %lu bytes in all\n", rounds, made, made_bytes);
	return 0;
}
