/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N128: four threads swap blocks through 64 slots, so that most are freed, and their addresses given
 * out again, by another thread at once. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

static void *_Atomic slots[64];

static void *swap(void *seed)
{
	unsigned state = (unsigned)(size_t)seed;

	for (int i = 0; i < 10000; i++) {
		void *block;

		state = state * 1664525 + 1013904223;
		block = malloc(state % 4 ? 48 : 2000);
		block = __atomic_exchange_n(&slots[state >> 26], block, __ATOMIC_ACQ_REL);
		if (state & 0x100)
			block = realloc(block, 1500);
		free(block);
	}
	return seed;
}

int main(void)
{
	pthread_t threads[4];
	int live = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, swap, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 64; i++)
		live += slots[i] != NULL;
	CHECK(live == 64);
	return hazard_done();
}
