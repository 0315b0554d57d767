/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deep [ROUNDS [FRAMES]]: that many frames deep, 30 if not told (about 13,000 distinct stacks then): at each of
 * the inner levels one of several call sites is taken, by a fixed sequence. */
#include "bench/workload.h"

#define RING 4096

static void *ring[RING];
static unsigned long at;

__attribute__((noinline)) static void leaf(unsigned long path)
{
	void **slot = &ring[at++ % RING];

	free(*slot);
	*slot = malloc(24 + path % 200);
	KEEP(*slot);
}

/* Text of its own behind each call keeps the compiler from merging them. */
#define CALL_SITE(n, path, level) \
	do { \
		descend(path, level); \
		__asm__ volatile("# call site " #n : : : "memory"); \
	} while (0)

/* Down to the leaf; at levels 1 to 9 two bits of the path choose among three call sites. */
__attribute__((noinline)) static void descend(unsigned long path, int level)
{
	if (level == 0) {
		leaf(path);
		__asm__ volatile("# leaf" : : : "memory");
	} else if (level > 9) {
		CALL_SITE(3, path, level - 1);
	} else {
		switch (path / (1ul << level) % 3) {
		case 0:
			CALL_SITE(0, path + 1, level - 1);
			break;
		case 1:
			CALL_SITE(1, path + 2, level - 1);
			break;
		default:
			CALL_SITE(2, path + 3, level - 1);
		}
	}
}

int main(int argc, char **argv)
{
	long rounds = workload_rounds(argc, argv, 2000000);
	int frames = (int)workload_argument(argc, argv, 2, 30, 0, 10000);
	unsigned long random = 1;

	for (long i = 0; i < rounds; i++) {
		random = random * 6364136223846793005ul + 1442695040888963407ul;
		if (frames)
			descend(random >> 50, frames - 1);
		else
			leaf(random >> 50);
	}
	for (unsigned i = 0; i < RING; i++)
		free(ring[i]);
	return 0;
}
