/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program to attach to: looper [THREADS [fork | exec FILE ...]]
 *
 * Each thread allocates, checks and releases blocks, and stops for a moment now and then.  10 blocks of 777
 * bytes are allocated at the start; SIGUSR1 makes the main thread release them.  SIGUSR2 makes a child
 * that does what a thread does, or executes FILE.  SIGTERM ends it: exit status 0 if every block held
 * what was put in. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EARLY	10
#define KEPT	64

static _Atomic int end, bad;
static volatile sig_atomic_t release, execute;

static void on_signal(int signal)
{
	if (signal == SIGUSR1)
		release = 1;
	else if (signal == SIGUSR2)
		execute = 1;
	else
		end = 1;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void turn(unsigned char **kept, unsigned n)
{
	unsigned at = n % KEPT, size = 16 + n * 7 % 2000;
	unsigned char *p = kept[at];

	if (p && (p[0] != (unsigned char)at || p[15] != (unsigned char)at))
		bad++;
	p = n % 3 ? realloc(p, size) : (free(p), malloc(size));
	if (p)
		memset(p, (int)at, 16);
	kept[at] = p;
}

static void *loop(void *arg)
{
	unsigned char *kept[KEPT] = { NULL };

	for (unsigned n = 0; !end; n++) {
		turn(kept, n);
		if (n % 100 == 99)
			nap();
	}
	for (unsigned i = 0; i < KEPT; i++)
		free(kept[i]);
	return arg;
}

static void look_at_signals(void **early, char **argv)
{
	for (int i = 0; release && i < EARLY; i++) {
		free(early[i]);
		early[i] = NULL;
	}
	release = 0;
	if (execute && strcmp(argv[2], "fork"))
		execv(argv[3], argv + 3);
	if (execute && fork() == 0) {
		loop(NULL);
		_exit(bad != 0);
	}
	execute = 0;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t ids[64];
	void *early[EARLY];

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGTERM, on_signal);
	for (int i = 0; i < EARLY; i++)
		early[i] = malloc(777);
	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&ids[i], NULL, loop, NULL);
	puts("ready");
	fflush(stdout);
	while (!end) {
		look_at_signals(early, argv);
		nap();
	}
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	if (bad)
		puts("bad");
	return bad != 0;
}
