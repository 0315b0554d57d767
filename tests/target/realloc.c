/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenarios of realloc. */
#include "tests/target/record.h"
#include "tests/target/scenarios.h"

#include <stdlib.h>
#include <string.h>

/* Records and does p -> size; the block is filled, so that a lost byte would show. */
NOINLINE static void *resize(void *p, size_t size)
{
	uintptr_t old = (uintptr_t)p;
	void *q = realloc(p, size);

	KEEP(q);
	record_realloc(old, q, size);
	return q;
}

NOINLINE static void give(void *p)
{
	record_release("free", p);
	free(p);
	NOT_A_TAIL_CALL();
}

NOINLINE static void *filled(size_t size)
{
	void *p = malloc(size);

	KEEP(p);
	memset(p, 0x5a, size);
	record_alloc("malloc", p, size);
	return p;
}

static int intact(const unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i] != 0x5a)
			return 0;
	return 1;
}

void scenario_realloc_null(void)
{
	void *p = resize(NULL, 256);

	record_frames(p, "resize;scenario_realloc_null;main");
	give(p);
}

void scenario_realloc_grow(void)
{
	void *p = filled(100), *wall = filled(100);

	p = resize(p, 100000);
	record_frames(p, "resize;scenario_realloc_grow;main");
	record_say("intact", intact(p, 100));
	give(p);
	give(wall);
}

void scenario_realloc_shrink(void)
{
	void *p = filled(4000);

	p = resize(p, 40);
	record_frames(p, "resize;scenario_realloc_shrink;main");
	record_say("intact", intact(p, 40));
	give(p);
}

void scenario_realloc_zero(void)
{
	void *p = filled(100), *q;
	uintptr_t old = (uintptr_t)p;
	size_t none = 0;

	KEEP(none);
	KEEP(old);
	q = realloc(p, none);
	KEEP(q);
	record_release("free", (void *)old);
	record_say("null", q == NULL);
}

void scenario_realloc_chain(void)
{
	static const size_t sizes[] = { 32, 512, 8192, 200000, 64 };
	void *p = NULL;

	for (int i = 0; i < 5; i++)
		p = resize(p, sizes[i]);
	record_frames(p, "resize;scenario_realloc_chain;main");
	give(p);
}

void scenario_realloc_failed(void)
{
	void *p = filled(300), *same = p, *q;
	size_t huge = SIZE_MAX / 2;

	KEEP(huge);
	KEEP(same);	/* the compiler takes a block for gone once realloc had it */
	q = realloc(same, huge);
	KEEP(q);
	record_say("null", q == NULL);
	record_say("intact", intact(p, 300));
	record_frames(p, "filled;scenario_realloc_failed;main");
	give(p);
}
