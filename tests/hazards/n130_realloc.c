/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N130: every corner of realloc; one block of 789 bytes is left. */
#include <stdint.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static void *volatile block;

static void __attribute__((noinline)) last_resize(void)
{
	block = realloc(block, 789);
}

int main(void)
{
	volatile size_t huge = SIZE_MAX / 2;

	setvbuf(stdout, NULL, _IONBF, 0);
	block = realloc(NULL, 100);
	block = realloc(block, 1000000);
	block = realloc(block, 2000000);	/* moves pages, or copies */
	CHECK(!realloc(block, huge));		/* the old block stays */
	CHECK(!reallocarray(block, huge, 16));
	block = realloc(block, 50);
	CHECK(!realloc(block, 0));		/* glibc frees it */
	block = realloc(NULL, 0);
	block = realloc(block, 10);
	block = reallocarray(block, 100, 10);
	last_resize();
	return hazard_done();
}
