/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a process stands still when memtrack attaches to it and when it detaches, seen from inside.
 *
 *	pause [-t THREADS] [-n ROUNDS] [-w | -b] MEMTRACK [OPTION...]
 *
 * Every thread of the process takes the time over and over, allocating in between, and naps (-b: never, -w: for 20 ms,
 * as threads that mostly wait do; default: -b for up to 8 threads).  Prints for the attach, for the detach and for the
 * same time alone: median and longest of ROUNDS, in ms, of
 *
 *	all	the longest time in which no thread at all took the time
 *	one	the longest time that any one thread missed, its nap taken off
 *
 * The second also has what the processors' other work and their number do to it, as "alone" shows. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX	1000
#define NAP_NS		20000000l
#define ALONE_US	100000
#define LIMIT_MS	30000

enum phase { ATTACH, DETACH, ALONE, PHASES };
static const char *const phase_names[] = { "attach", "detach", "alone" };

/* What target and measurer share. */
static struct pauses {
	_Atomic uint64_t last, all, one;
	_Atomic int started;
} *shared;

static struct {
	int threads, rounds;
	bool nap;
	char **command;
} options = { .threads = 4, .rounds = 30 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void raise_to(_Atomic uint64_t *longest, uint64_t value)
{
	uint64_t seen = atomic_load(longest);

	while (value > seen && !atomic_compare_exchange_weak(longest, &seen, value))
		;
}

static void *work(void *unused)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t mine = now(), expected = options.nap ? (uint64_t)NAP_NS : 0;

	atomic_fetch_add(&shared->started, 1);
	for (;;) {
		void *volatile block = malloc(100);
		uint64_t at, before;

		free(block);
		if (options.nap)
			nanosleep(&nap, NULL);
		at = now();
		before = atomic_exchange(&shared->last, at);
		if (at > before)
			raise_to(&shared->all, at - before);
		if (at - mine > expected)
			raise_to(&shared->one, at - mine - expected);
		mine = at;
	}
	return unused;
}

static void target(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	atomic_store(&shared->last, now());
	for (int k = 1; k < options.threads; k++)
		if (pthread_create(&thread, &attributes, work, NULL) != 0)
			_exit(1);
	work(NULL);
}

static pid_t start_target(void)
{
	pid_t pid = fork();

	if (pid == 0)
		target();
	while (atomic_load(&shared->started) < options.threads)
		usleep(1000);
	usleep(50000);
	return pid;
}

static void begin(void)
{
	atomic_store(&shared->all, 0);
	atomic_store(&shared->one, 0);
}

struct round {
	double all[PHASES], one[PHASES];	/* ms */
};

static void take(struct round *r, enum phase phase)
{
	r->all[phase] = (double)atomic_load(&shared->all) / 1e6;
	r->one[phase] = (double)atomic_load(&shared->one) / 1e6;
}

static pid_t start_memtrack(pid_t pid, int *errors)
{
	char number[16], *words[64] = { options.command[0], "--pid", number, "-o", "/dev/null", "--no-report" };
	int pipes[2], count = 6;
	pid_t child;

	snprintf(number, sizeof(number), "%d", (int)pid);
	for (char **option = options.command + 1; *option && count < 63; option++)
		words[count++] = *option;
	if (pipe(pipes) != 0 || (child = fork()) < 0)
		exit(2);
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		execv(words[0], words);
		_exit(127);
	}
	close(pipes[1]);
	*errors = pipes[0];
	return child;
}

/* Until it says that it is attached, or ends. */
static bool wait_attached(int errors)
{
	char text[4096];
	size_t length = 0;
	struct pollfd p = { .fd = errors, .events = POLLIN };

	while (length < sizeof(text) - 1 && poll(&p, 1, LIMIT_MS) == 1) {
		ssize_t n = read(errors, text + length, sizeof(text) - 1 - length);

		if (n <= 0)
			break;
		length += (size_t)n;
		text[length] = '\0';
		if (strstr(text, "attached to"))
			return true;
	}
	fprintf(stderr, "pause: %.*s\n", (int)length, text);
	return false;
}

static bool one_round(pid_t pid, struct round *r)
{
	int errors, status = -1;
	pid_t memtrack;
	bool attached;

	begin();
	memtrack = start_memtrack(pid, &errors);
	attached = wait_attached(errors);
	usleep(20000);	/* a gap is seen at its end */
	take(r, ATTACH);
	usleep(50000);
	begin();
	kill(memtrack, SIGINT);
	waitpid(memtrack, &status, 0);
	close(errors);
	usleep(20000);
	take(r, DETACH);
	begin();
	usleep(ALONE_US);
	take(r, ALONE);
	return attached && status == 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const struct round *rounds, enum phase phase)
{
	double *all = calloc((size_t)options.rounds, sizeof(*all)), *one = calloc((size_t)options.rounds, sizeof(*one));

	if (!all || !one)
		exit(2);
	for (int k = 0; k < options.rounds; k++) {
		all[k] = rounds[k].all[phase];
		one[k] = rounds[k].one[phase];
	}
	qsort(all, (size_t)options.rounds, sizeof(*all), compare);
	qsort(one, (size_t)options.rounds, sizeof(*one), compare);
	printf("%d\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", options.threads, phase_names[phase], all[options.rounds / 2],
	       all[options.rounds - 1], one[options.rounds / 2], one[options.rounds - 1]);
	free(all);
	free(one);
}

static void read_options(int argc, char **argv)
{
	int option, how = 0;

	while ((option = getopt(argc, argv, "+t:n:wb")) != -1)
		switch (option) {
		case 't': options.threads = atoi(optarg); break;
		case 'n': options.rounds = atoi(optarg); break;
		case 'w': case 'b': how = option; break;
		default: optind = argc;
		}
	options.nap = how ? how == 'w' : options.threads > 8;
	options.command = argv + optind;
	if (optind < argc && options.threads > 0 && options.threads <= THREADS_MAX && options.rounds > 0)
		return;
	fputs("usage: pause [-t THREADS] [-n ROUNDS] [-w | -b] MEMTRACK [OPTION...]\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct round *rounds;
	bool good = true;
	pid_t pid;

	read_options(argc, argv);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	rounds = calloc((size_t)options.rounds, sizeof(*rounds));
	if (shared == MAP_FAILED || !rounds)
		return 2;
	pid = start_target();
	for (int k = 0; k < options.rounds && good; k++)
		good = one_round(pid, &rounds[k]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int phase = 0; phase < PHASES && good; phase++)
		print(rounds, phase);
	return !good;
}
