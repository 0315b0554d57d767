/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocations of all sizes from several threads (worker-0 ...), some released, some by main; prints
 * "expect OP BUCKET COUNT BYTES" of all that was done. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define THREADS 3
#define BLOCKS 4000
#define BUCKETS 10

enum { MALLOC, CALLOC, REALLOC, FREE, REALLOC_FREE, OPS };
static const char *const names[OPS] = { "malloc", "calloc", "realloc", "free", "realloc-free" };

static struct {
	uint64_t count, bytes;
} done[OPS][BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *blocks[THREADS][BLOCKS];

static unsigned bucket_of(size_t size)
{
	static const size_t limits[] = { 16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20 };
	unsigned b = 0;

	while (b < 9 && size > limits[b])
		b++;
	return b;
}

static void count(int op, size_t size)
{
	pthread_mutex_lock(&lock);
	done[op][bucket_of(size)].count++;
	done[op][bucket_of(size)].bytes += size;
	pthread_mutex_unlock(&lock);
}

static size_t size_of(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16 & ((1u << (*state >> 28)) - 1);
}

static void *work(void *argument)
{
	unsigned number = (unsigned)(uintptr_t)argument, state = number * 7919u + 1;
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", number);
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < BLOCKS; i++) {
		size_t size = size_of(&state);
		void **block = &blocks[number][i];

		*block = i % 3 ? malloc(size) : calloc(1, size);
		count(i % 3 ? MALLOC : CALLOC, size);
		if (i % 5 == 0) {
			size = size_of(&state) + 1;
			*block = realloc(*block, size);
			count(REALLOC_FREE, 0);
			count(REALLOC, size);
		}
		if (i % 2) {
			free(*block);
			count(FREE, 0);
			*block = NULL;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	setvbuf(stdout, NULL, _IONBF, 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int t = 0; t < THREADS; t++) {
		for (int i = 0; i < BLOCKS; i += 4) {
			if (blocks[t][i])
				count(FREE, 0);
			free(blocks[t][i]);
		}
	}
	for (int op = 0; op < OPS; op++)
		for (int b = 0; b < BUCKETS; b++)
			if (done[op][b].count)
				printf("expect %s %d %llu %llu\n", names[op], b,
				       (unsigned long long)done[op][b].count,
				       (unsigned long long)done[op][b].bytes);
	return 0;
}
