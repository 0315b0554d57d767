/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenarios of one thread with the plain C functions. */
#include "tests/target/record.h"
#include "tests/target/scenarios.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

NOINLINE static void *take(size_t size)
{
	void *p = malloc(size);

	KEEP(p);
	record_alloc("malloc", p, size);
	return p;
}

NOINLINE static void give(void *p)
{
	record_release("free", p);
	free(p);
	NOT_A_TAIL_CALL();
}

void scenario_malloc_free(void)
{
	void *p = take(100);

	record_frames(p, "take;scenario_malloc_free;main");
	memset(p, 1, 100);
	give(p);
}

void scenario_calloc_zeroed(void)
{
	unsigned char *p = calloc(16, 25), seen = 0;

	KEEP(p);
	record_alloc("calloc", p, 400);
	record_frames(p, "scenario_calloc_zeroed;main");
	for (int i = 0; i < 400; i++)
		seen |= p[i];
	record_say("nonzero", seen);
	give(p);
}

void scenario_free_null(void)
{
	void *p = NULL, *q;

	for (int i = 0; i < 10; i++) {
		KEEP(p);
		free(p);
	}
	q = take(24);
	record_frames(q, "take;scenario_free_null;main");
	give(q);
}

void scenario_malloc_zero(void)
{
	void *p = take(0);

	record_say("null", p == NULL);
	record_frames(p, "take;scenario_malloc_zero;main");
	give(p);
}

void scenario_large(void)
{
	char *p = take(10 << 20);

	record_frames(p, "take;scenario_large;main");
	p[0] = p[(10 << 20) - 1] = 1;
	KEEP(p);
	give(p);
}

void scenario_many_small(void)
{
	void *blocks[200];

	for (int i = 0; i < 200; i++)
		blocks[i] = take(13);
	record_frames(blocks[0], "take;scenario_many_small;main");
	record_frames(blocks[199], "take;scenario_many_small;main");
	for (int i = 0; i < 200; i++)
		give(blocks[i]);
	record_say("total", 200 * 13);
}

NOINLINE static void *forgetful(size_t size)
{
	void *p = take(size);

	NOT_A_TAIL_CALL();
	return p;
}

void scenario_leak(void)
{
	void *kept = take(64), *lost = forgetful(777);

	record_frames(lost, "take;forgetful;scenario_leak;main");
	KEEP(lost);
	give(kept);
	record_say("leaked", 777);
}

void scenario_strings(void)
{
	char *whole = strdup("a string of twenty-six (26)"), *part;

	KEEP(whole);
	record_alloc("strdup", whole, strlen(whole) + 1);
	record_frames(whole, "scenario_strings;main");
	part = strndup(whole, 8);
	KEEP(part);
	record_alloc("strndup", part, 9);
	record_frames(part, "scenario_strings;main");
	record_say("copied", strcmp(part, "a string") == 0);
	give(part);
	give(whole);
}

void scenario_pages(void)
{
	size_t size = 1 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	record_alloc("mmap", p, size);
	record_frames(p, "scenario_pages;main");
	p[0] = p[size - 1] = 1;
	record_release_range("munmap", p, size);
	munmap(p, size);
	NOT_A_TAIL_CALL();
}
