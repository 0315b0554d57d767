/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stack of twenty functions, each with a name of its own. */
#include "tests/target/record.h"
#include "tests/target/scenarios.h"

#include <stdlib.h>

NOINLINE static void *deep_1(size_t size)
{
	void *p = malloc(size);

	KEEP(p);
	record_alloc("malloc", p, size);
	return p;
}

/* Frames of different sizes, so that a frame's layout cannot be guessed from the one before. */
#define LEVEL(n, below) \
	NOINLINE static void *deep_##n(size_t size) \
	{ \
		volatile char room[8 * n]; \
		void *p; \
		room[0] = (char)size; \
		p = deep_##below(size + (size_t)room[0] * 0); \
		room[8 * n - 1] = 1; \
		KEEP(p); \
		return p; \
	}

LEVEL(2, 1) LEVEL(3, 2) LEVEL(4, 3) LEVEL(5, 4) LEVEL(6, 5)
LEVEL(7, 6) LEVEL(8, 7) LEVEL(9, 8) LEVEL(10, 9) LEVEL(11, 10)
LEVEL(12, 11) LEVEL(13, 12) LEVEL(14, 13) LEVEL(15, 14) LEVEL(16, 15)
LEVEL(17, 16) LEVEL(18, 17) LEVEL(19, 18) LEVEL(20, 19)

void scenario_deep_calls(void)
{
	void *p = deep_20(200);

	record_frames(p, "deep_1;deep_2;deep_3;deep_4;deep_5;deep_6;deep_7;deep_8;deep_9;deep_10;"
		"deep_11;deep_12;deep_13;deep_14;deep_15;deep_16;deep_17;deep_18;deep_19;deep_20;"
		"scenario_deep_calls;main");
	record_release("free", p);
	free(p);
	NOT_A_TAIL_CALL();
}
