/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N131: what was asked for counts, not what the allocator made of it. */
#include <malloc.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

int main(void)
{
	static void *blocks[1000];

	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 1000; i++) {
		blocks[i] = malloc(i + 1);
		CHECK(malloc_usable_size(blocks[i]) >= (size_t)i + 1);
	}
	for (int i = 0; i < 999; i++)
		free(blocks[i]);
	return hazard_done();
}
