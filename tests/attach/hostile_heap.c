/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that never leave the allocator alone, and check what it gave them. */
#include "tests/attach/hostile.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 32, LARGEST = 3000 };

static uint32_t next(uint32_t *seed)
{
	return *seed = *seed * 1664525 + 1013904223;
}

static void check(const unsigned char *block, size_t size, unsigned char byte)
{
	for (size_t i = 0; i < size; i++)
		if (block[i] != byte) {
			hostile_wrong("a block of %zu bytes changed at %zu", size, i);
			return;
		}
}

void hostile_heap_round(uint32_t *seed)
{
	size_t size = next(seed) % LARGEST + 1, grown = size + next(seed) % LARGEST;
	unsigned char byte = (unsigned char)(next(seed) >> 24), *block = malloc(size);

	memset(block, byte, size);
	block = realloc(block, grown);
	check(block, size, byte);
	memset(block, byte, grown);
	check(block, grown, byte);
	free(block);
}

static void heap_work(struct worker *w)
{
	struct { unsigned char *at; size_t size; } held[HELD] = { 0 };
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		unsigned i = next(&seed) % HELD;

		check(held[i].at, held[i].size, (unsigned char)i);
		free(held[i].at);
		held[i].size = next(&seed) % LARGEST + 1;
		held[i].at = next(&seed) & 0x10000 ? malloc(held[i].size) : calloc(1, held[i].size);
		memset(held[i].at, (int)i, held[i].size);
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
	for (unsigned i = 0; i < HELD; i++) {
		check(held[i].at, held[i].size, (unsigned char)i);
		free(held[i].at);
	}
}

/* The tightest loop there is: nothing but the allocator. */
static void tight_work(struct worker *w)
{
	while (!hostile_stopped()) {
		for (int i = 0; i < 1000; i++) {
			void *volatile block = malloc(24);

			free(block);
		}
		hostile_progress(w);
	}
}

/* Seldom: for many threads at a time. */
static void calm_work(struct worker *w)
{
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		hostile_heap_round(&seed);
		hostile_progress(w);
		hostile_sleep_us(20000 + next(&seed) % 20000);
	}
}

/* Through pointers that were taken before anybody attached: of a static, the heap and the stack. */
static struct {
	void *(*volatile take)(size_t);
	void (*volatile give)(void *);
} saved = { malloc, free };

static void saved_work(struct worker *w)
{
	void *(*volatile take)(size_t) = malloc;
	void *(**kept)(void *, size_t) = malloc(sizeof(*kept));

	*kept = realloc;
	while (!hostile_stopped()) {
		unsigned char *one = take(100), *two = saved.take(200);

		memset(one, 1, 100);
		memset(two, 2, 200);
		one = (*(void *(*volatile *)(void *, size_t))kept)(one, 1000);
		check(one, 100, 1);
		check(two, 200, 2);
		saved.give(one);
		saved.give(two);
		hostile_progress(w);
	}
	free(kept);
}

/* Threads that are made and gone all the time, each with some blocks. */
static void *short_life(void *seed)
{
	uint32_t own = (uint32_t)(uintptr_t)seed;

	hostile_heap_round(&own);
	return NULL;
}

static void churn_work(struct worker *w)
{
	pthread_attr_t small;
	uint32_t seed = w->number + 1;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	while (!hostile_stopped()) {
		pthread_t threads[4];
		int made = 0;

		while (made < 4 && pthread_create(&threads[made], &small, short_life,
				(void *)(uintptr_t)next(&seed)) == 0)
			made++;
		while (made > 0)
			pthread_join(threads[--made], NULL);
		hostile_progress(w);
	}
	pthread_attr_destroy(&small);
}

static void idle_work(struct worker *w)
{
	while (!hostile_stopped()) {
		hostile_sleep_us(5000);
		hostile_progress(w);
	}
}

const struct worker_kind heap_workers[] = {
	{ "heap", NULL, heap_work, NULL },
	{ "tight", NULL, tight_work, NULL },
	{ "calm", NULL, calm_work, NULL },
	{ "saved", NULL, saved_work, NULL },
	{ "churn", NULL, churn_work, NULL },
	{ "idle", NULL, idle_work, NULL },
	{ NULL, NULL, NULL, NULL },
};
