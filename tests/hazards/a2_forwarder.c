/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A2: the program defines malloc and free itself and finds the next ones with RTLD_NEXT. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static void *(*next_malloc)(size_t);
static void (*next_free)(void *);
static int looking;
static unsigned long mallocs, frees;

/* dlsym may come back here before there is an answer. */
static void look(void)
{
	looking = 1;
	next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	looking = 0;
}

void *malloc(size_t size)
{
	if (!next_malloc && !looking)
		look();
	mallocs += size == 321;
	return next_malloc ? next_malloc(size) : NULL;
}

void free(void *block)
{
	if (!next_free && !looking)
		look();
	frees++;
	if (next_free)
		next_free(block);
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(321));
	CHECK(mallocs == 1000 && frees >= 1000);
	return hazard_done();
}
