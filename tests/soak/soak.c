/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* soak [-t MILLISECONDS] [-s SEED] [-j THREADS] [-n OPERATIONS] [-c CHILDREN] [-g GENERATION]
 * [-w] [-x] FOLDER-OF-PLUGINS: allocates in every way there is, from many threads, while handlers,
 * children and plugins come and go; libsoakheap.so keeps count.
 *
 * -w: signal handlers allocate inside allocator calls and jump out of them.  -x: execute itself at
 * the end.  Prints nothing unless something is wrong. */
#include "tests/soak/soak.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

struct options options = { .milliseconds = 1000, .threads = 6, .operations = 60000 };
_Atomic bool stopping;

/* By write alone: this may be a handler, or a child. */
void complain(const char *what)
{
	char line[200];
	int n = snprintf(line, sizeof(line), "soak: %d: %s\n", (int)getpid(), what);

	atomic_fetch_add(&shadow()->failures, 1);
	if (write(2, line, (size_t)n) < 0)
		_exit(98);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void doze(uint64_t *state)
{
	struct timespec t = { 0, 200000 + (long)random_below(state, 3000) * 1000 };

	nanosleep(&t, NULL);
}

/* Disturbs the workers until their time is over. */
static void conduct(pthread_t *threads, uint64_t *state)
{
	uint64_t start = now_ms(), end = start + options.milliseconds;
	unsigned started = 0;

	for (uint64_t now = start; now < end; now = now_ms()) {
		doze(state);
		pthread_kill(threads[random_below(state, options.threads)], SIGUSR1);
		if (random_below(state, 20) == 0)
			pthread_setname_np(threads[random_below(state, options.threads)], "named by main");
		if (started < options.children &&
		    (now - start) * (options.children + 1) > options.milliseconds * (started + 1ull)) {
			children_start();
			started++;
		}
	}
}

int process_run(void)
{
	pthread_t threads[THREADS_MAX];
	uint64_t state = options.seed;

	worker = (struct worker){ .random = random_next(&state), .handler_random = 1, .locked = 1 };
	signals_start();
	for (unsigned i = 0; i < options.threads; i++)
		pthread_create(&threads[i], NULL, worker_main, (void *)(uintptr_t)random_next(&state));
	worker.locked = 0;
	conduct(threads, &state);
	stopping = true;
	worker.locked = 1;
	for (unsigned i = 0; i < options.threads; i++)
		pthread_join(threads[i], NULL);
	children_wait();
	signals_stop();
	signals_block(true);
	if (random_below(&state, 2))
		blocks_drain();
	if (options.exec)
		children_exec();
	shadow()->finished = 1;
	return shadow()->failures != 0;
}

static void read_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:s:j:n:c:g:wx")) != -1) {
		switch (c) {
		case 't': options.milliseconds = (unsigned)atoi(optarg); break;
		case 's': options.seed = strtoull(optarg, NULL, 0); break;
		case 'j': options.threads = (unsigned)atoi(optarg); break;
		case 'n': options.operations = strtoull(optarg, NULL, 0); break;
		case 'c': options.children = (unsigned)atoi(optarg); break;
		case 'g': options.generation = (unsigned)atoi(optarg); break;
		case 'w': options.wild = true; break;
		case 'x': options.exec = true; break;
		default: exit(2);
		}
	}
	if (optind + 1 != argc || options.threads < 1 || options.threads > THREADS_MAX)
		exit(2);
	options.plugins = argv[optind];
	options.program = "/proc/self/exe";
}

int main(int argc, char **argv)
{
	static char program[4096];

	read_options(argc, argv);
	signals_block(false);
	if (readlink(options.program, program, sizeof(program) - 1) > 0)
		options.program = program;
	return process_run();
}
