/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that is hard to enter: hold_hostile MODE THREADS FILE.
 *
 * FILE is a struct hostile, shared with the test.  Each thread does one thing over and over, checks what it
 * gets, and counts; when the test says stop the program ends with status 0, or 3 if anything was wrong. */
#include "tests/inject/hold_hostile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hostile *shared;

static void wrong(const char *what)
{
	atomic_fetch_add(&shared->wrong, 1);
	fprintf(stderr, "hold_hostile: %s (errno %d)\n", what, errno);
}

static void one_malloc(unsigned n)
{
	static __thread unsigned char *blocks[64];
	static __thread size_t sizes[64];
	unsigned slot = n * 7 % 64;
	size_t size = 1 + n * 37 % 5000;

	for (size_t k = 0; blocks[slot] && k < sizes[slot]; k += 61)
		if (blocks[slot][k] != (unsigned char)slot)
			wrong("a block's content changed");
	if (n & 1) {
		free(blocks[slot]);
		blocks[slot] = malloc(size);
	} else {
		blocks[slot] = realloc(blocks[slot], size);
	}
	if (!blocks[slot]) {
		wrong("no memory");
		return;
	}
	memset(blocks[slot], (int)slot, size);
	sizes[slot] = size;
}

static void one_dlopen(unsigned n)
{
	static const char *const libraries[] = { "libutil.so.1", "libresolv.so.2", "libBrokenLocale.so.1", "libanl.so.1" };
	void *handle = dlopen(libraries[n % 4], RTLD_NOW);

	if (!handle)
		wrong(dlerror());
	else if (dlclose(handle) != 0)
		wrong("dlclose");
}

static void *short_thread(void *argument)
{
	void *block = malloc(100);

	free(block);
	return argument;
}

static void one_thread(unsigned n)
{
	pthread_t t;
	void *result;

	if (pthread_create(&t, NULL, short_thread, (void *)(size_t)n) != 0)
		wrong("pthread_create");
	else if (pthread_join(t, &result) != 0 || result != (void *)(size_t)n)
		wrong("pthread_join");
}

static void one_fork(unsigned n)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (n & 1)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		wrong("fork or waitpid");
	else if (status != 0)
		wrong("the child's status");
}

static void one_sleep(unsigned n)
{
	struct timespec nap = { 0, 2000000 };

	(void)n;
	if (nanosleep(&nap, NULL) != 0)
		wrong("nanosleep was interrupted");
}

static void on_alarm(int signal)
{
	(void)signal;
	atomic_fetch_add(&shared->signals, 1);
}

static void storm(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 300 }, { 0, 300 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

typedef void one_fn(unsigned n);

static one_fn *function_of(const char *mode, unsigned thread)
{
	static one_fn *const mix[] = { one_malloc, one_dlopen, one_thread, one_thread };

	if (strcmp(mode, "dl") == 0)
		return one_dlopen;
	if (strcmp(mode, "mix") == 0)
		return mix[thread % 4];
	if (strcmp(mode, "churn") == 0)
		return one_thread;
	if (strcmp(mode, "fork") == 0)
		return thread == 0 ? one_fork : one_malloc;
	if (strcmp(mode, "sleep") == 0)
		return one_sleep;
	return one_malloc;	/* malloc, sig, exec */
}

struct worker {
	one_fn *one;
	unsigned index;
};

static void *work(void *argument)
{
	struct worker *w = argument;

	for (unsigned n = 0; !atomic_load_explicit(&shared->stop, memory_order_relaxed); n++) {
		w->one(n);
		atomic_fetch_add_explicit(&shared->count[w->index % HOSTILE_COUNTS], 1, memory_order_relaxed);
	}
	return NULL;
}

/* Becomes itself again, until it is told to stop. */
static void exec_loop(char **argv)
{
	for (unsigned n = 0; n < 50; n++)
		one_malloc(n);
	atomic_fetch_add(&shared->count[0], 1);
	if (atomic_load(&shared->stop))
		exit(atomic_load(&shared->wrong) ? 3 : 0);
	execv("/proc/self/exe", argv);
	wrong("execv");
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	int fd = argc > 3 ? open(argv[3], O_RDWR | O_CLOEXEC) : -1;
	struct worker *workers = calloc(threads, sizeof(*workers));
	pthread_t *ids = calloc(threads, sizeof(*ids));

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED || !workers || !ids)
		return 2;
	close(fd);
	if (strcmp(argv[1], "exec") == 0)
		exec_loop(argv);
	if (strcmp(argv[1], "sig") == 0)
		storm();
	for (unsigned k = 0; k < threads; k++)
		workers[k] = (struct worker){ function_of(argv[1], k), k };
	for (unsigned k = 1; k < threads; k++)
		if (pthread_create(&ids[k], NULL, work, &workers[k]) != 0)
			return 2;
	work(&workers[0]);
	for (unsigned k = 1; k < threads; k++)
		pthread_join(ids[k], NULL);
	return atomic_load(&shared->wrong) ? 3 : 0;
}
