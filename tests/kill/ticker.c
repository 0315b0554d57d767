/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ticker MILLISECONDS PROGRESS: allocates steadily in two threads and appends "MS COUNT PID" to
 * PROGRESS every millisecond or so: what a trace must at least hold at any moment.  COUNT is the
 * number of completed mallocs, MS the wall clock.  Prints "done COUNT" and exits 7. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BURST 64

static atomic_ulong done;
static atomic_int stop;

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void nap(void)
{
	struct timespec t = { 0, 1000000 };

	nanosleep(&t, NULL);
}

static void burst(void)
{
	void *blocks[BURST];

	for (int i = 0; i < BURST; i++) {
		blocks[i] = malloc(32 + (size_t)i);
		__asm__ volatile("" : "+r"(blocks[i]) : : "memory");
		atomic_fetch_add(&done, 1);
	}
	for (int i = 0; i < BURST; i++)
		free(blocks[i]);
}

static void *companion(void *unused)
{
	while (!stop) {
		burst();
		nap();
	}
	return unused;
}

int main(int argc, char **argv)
{
	long long end = now_ms() + (argc == 3 ? atoll(argv[1]) : 0);
	int fd = argc == 3 ? open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
	pthread_t thread;

	if (fd < 0) {
		fprintf(stderr, "usage: ticker MILLISECONDS PROGRESS\n");
		return 2;
	}
	pthread_create(&thread, NULL, companion, NULL);
	while (now_ms() < end) {
		char line[64];
		unsigned long count = done;
		int length = snprintf(line, sizeof(line), "%lld %lu %d\n", now_ms(), count, (int)getpid());

		if (write(fd, line, (size_t)length) != length)
			return 3;
		burst();
		nap();
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("done %lu\n", (unsigned long)done);
	return 7;
}
