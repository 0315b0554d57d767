/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* M125: a pool of the program's own: memtrack sees one block, and says no more than that. */
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static char *pool;
static size_t used;

static void *pool_take(size_t size)
{
	void *block = pool + used;

	used += size;
	return block;
}

int main(void)
{
	pool = malloc(1250000);
	for (int i = 0; i < 1000; i++)
		CHECK(pool_take(1250));
	return hazard_done();
}
