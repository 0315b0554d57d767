/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program whose allocator calls are redirected while it runs: it brings the entries that a hook would have,
 * which only count, and knows what it called itself.
 *
 *	patch_target quiet	for each line on stdin: makes calls, says how many
 *	patch_target busy	four threads allocate, check what they wrote, free; until stdin ends
 *	patch_target storm	the same, with signal handlers on top most of the time
 *	patch_target slow	threads stand in the first five bytes of a function nearly always; for each line signal
 *				handlers begin on top of them, or end
 *	patch_target forks	the same as quiet, in a child for each line
 *
 * Exits 0 if nothing was wrong.  It prints without allocating. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES 20

/* What the stub pushed is where the function goes on. */
unsigned long target_hits[ENTRIES];
__asm__(".text; .globl target_entries; .balign 16; target_entries:"
	".set n, 0; .rept 20; .balign 16; lock incq target_hits + n*8(%rip); ret; .set n, n+1; .endr");

enum { MALLOC, CALLOC, REALLOC, FREE, STRDUP, POSIX_MEMALIGN, KINDS };
static unsigned long calls[KINDS];

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char line[256];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(1, line, (size_t)n) != n)
		_exit(9);
}

static void wrong(const char *what)
{
	say("wrong: %s\n", what);
	_exit(1);
}

/* A pointer that was saved before anybody came. */
static void *(*volatile saved_malloc)(size_t);
static void (*volatile looked_up_free)(void *);

static void call_all(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char *a = malloc(10 + i), *b = saved_malloc(100), *c = calloc(3, 7 + i), *d = strdup("hello, world");
		void *e = NULL;

		memset(a, 1, 10 + i);
		a = realloc(a, 5000 + i);
		if (!a || a[9] != 1 || !b || !c || c[5] || !d || strcmp(d, "hello, world") != 0 ||
		    posix_memalign(&e, 64, 200) || (unsigned long)e % 64)
			wrong("a result");
		looked_up_free(a);
		free(b);
		free(c);
		free(d);
		free(e);
		free(NULL);
	}
	calls[MALLOC] += 3ul * n;	/* strdup's, too */
	calls[CALLOC] += n;
	calls[REALLOC] += n;
	calls[FREE] += 6ul * n;
	calls[STRDUP] += n;
	calls[POSIX_MEMALIGN] += n;
}

static int read_line(char *line, size_t size)
{
	size_t n = 0;

	while (n + 1 < size && read(0, line + n, 1) == 1 && line[n] != '\n')
		n++;
	line[n] = '\0';
	return n > 0;
}

static void report(void)
{
	say("called %lu %lu %lu %lu %lu %lu hits %lu %lu %lu %lu %lu %lu\n", calls[0], calls[1], calls[2], calls[3],
	    calls[4], calls[5], target_hits[0], target_hits[1], target_hits[2], target_hits[3], target_hits[4],
	    target_hits[5]);
}

static void quiet(int forks)
{
	char line[32];

	say("ready\n");
	while (read_line(line, sizeof(line))) {
		pid_t child = forks ? fork() : 0;

		if (child) {
			int status = -1;

			if (waitpid(child, &status, 0) != child || status != 0)
				wrong("a child");
			continue;
		}
		call_all((unsigned)atoi(line));
		if (forks) {
			say("child %d\n", (int)getpid());
			if (!read_line(line, sizeof(line)))
				_exit(3);
			memset(calls, 0, sizeof(calls));
			memset(target_hits, 0, sizeof(target_hits));
			call_all(5);
			report();
			_exit(0);
		}
		report();
	}
}

static atomic_int stop;
static atomic_ulong rounds[4], handled;
static pthread_t threads[4];

static void *work(void *arg)
{
	int me = (int)(long)arg;
	unsigned seed = (unsigned)me + 1;
	unsigned char *held[64] = { 0 };
	stack_t other = { .ss_sp = NULL, .ss_size = 65536 };

	if (me % 2) {
		other.ss_sp = malloc(other.ss_size);
		sigaltstack(&other, NULL);
	}
	while (!atomic_load(&stop)) {
		unsigned slot = rand_r(&seed) % 64, size = 1 + rand_r(&seed) % 2000;

		if (held[slot]) {
			size_t old = malloc_usable_size(held[slot]) ? held[slot][0] : 0;

			if (held[slot][0] != (unsigned char)(me * 64 + slot % 64) || old == 256)
				wrong("a block's content");
			if (size % 3 == 0) {
				held[slot] = realloc(held[slot], size);
			} else {
				free(held[slot]);
				held[slot] = size % 3 == 1 ? malloc(size) : calloc(size, 1);
			}
		} else {
			held[slot] = malloc(size);
		}
		memset(held[slot], me * 64 + (int)slot % 64, size);
		atomic_fetch_add_explicit(&rounds[me], 1, memory_order_relaxed);
	}
	return NULL;
}

/* Spends most of its thread's time, on top of whatever that did. */
static void handler(int sig)
{
	struct timespec from, now;

	(void)sig;
	atomic_fetch_add(&handled, 1);
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000l + now.tv_nsec - from.tv_nsec < 100000);
}

static void *storm(void *arg)
{
	while (!atomic_load(&stop)) {
		struct timespec pause = { 0, 100000 };

		for (int i = 0; i < 4; i++)
			pthread_kill(threads[i], SIGUSR1);
		nanosleep(&pause, NULL);
	}
	return arg;
}

static void busy(int with_signals)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK };
	pthread_t stormer;
	char line[32];

	sigaction(SIGUSR1, &action, NULL);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	if (with_signals)
		pthread_create(&stormer, NULL, storm, NULL);
	say("ready\n");
	/* Each line: all threads still get on. */
	while (read_line(line, sizeof(line))) {
		unsigned long before[4];

		for (int i = 0; i < 4; i++)
			before[i] = atomic_load(&rounds[i]);
		for (int i = 0; i < 4; i++)
			for (int n = 0; atomic_load(&rounds[i]) == before[i]; n++) {
				usleep(1000);
				if (n > 10000)
					wrong("a thread stands still");
			}
		say("alive\n");
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (with_signals)
		pthread_join(stormer, NULL);
	say("rounds %lu handled %lu hits %lu\n", rounds[0] + rounds[1] + rounds[2] + rounds[3], handled,
	    target_hits[0]);
}

/* Takes long in its second instruction, two bytes that are the last of the five. */
void target_slow(void *block, unsigned long size);
__asm__(".text; .balign 64; .globl target_slow; .type target_slow,@function; target_slow: mov %rsi,%rcx; rep stosb; ret;"
	".size target_slow, . - target_slow; .balign 64");

static unsigned char slow_block[16 << 20];
static atomic_int inside, let_go;

static void slow_handler(int sig)
{
	int turn = atomic_load(&let_go);

	(void)sig;
	atomic_fetch_add(&inside, 1);
	while (atomic_load(&let_go) == turn && !atomic_load(&stop))
		;
	atomic_fetch_sub(&inside, 1);
}

static void *work_slowly(void *arg)
{
	int me = (int)(long)arg;
	stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };

	if (me == 1)
		sigaltstack(&other, NULL);
	while (!atomic_load(&stop)) {
		target_slow(slow_block, sizeof(slow_block));
		atomic_fetch_add(&rounds[me], 1);
	}
	return NULL;
}

/* Thread 0 and 1 get a handler, 1 on a stack of its own; 2 is left alone. */
static void slow(void)
{
	struct sigaction action = { .sa_handler = slow_handler, .sa_flags = SA_RESTART | SA_ONSTACK };
	char line[32];

	sigaction(SIGUSR2, &action, NULL);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work_slowly, (void *)i);
	say("ready\n");
	while (read_line(line, sizeof(line))) {
		unsigned long before[3];

		if (line[0] == 'i') {
			usleep(5000);
			pthread_kill(threads[0], SIGUSR2);
			pthread_kill(threads[1], SIGUSR2);
			while (atomic_load(&inside) < 2)
				usleep(100);
			say("inside\n");
			continue;
		}
		for (int i = 0; i < 3; i++)
			before[i] = atomic_load(&rounds[i]);
		atomic_fetch_add(&let_go, 1);
		for (int i = 0; i < 3; i++)
			while (atomic_load(&rounds[i]) < before[i] + 2)
				usleep(100);
		say("alive %lu\n", target_hits[16]);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	saved_malloc = malloc;
	*(void **)&looked_up_free = dlsym(RTLD_DEFAULT, "free");
	if (!looked_up_free)
		looked_up_free = free;
	if (strcmp(mode, "busy") == 0 || strcmp(mode, "storm") == 0)
		busy(mode[0] == 's');
	else if (strcmp(mode, "slow") == 0)
		slow();
	else if (strcmp(mode, "quiet") == 0 || strcmp(mode, "forks") == 0)
		quiet(mode[0] == 'f');
	else
		return 2;
	say("done\n");
	return 0;
}
