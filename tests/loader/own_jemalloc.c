/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jemalloc by the names that only it has, counted by the program itself. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *mallocx(size_t size, int flags);
void *rallocx(void *block, size_t size, int flags);
size_t xallocx(void *block, size_t size, size_t extra, int flags);
size_t sallocx(const void *block, int flags);
void dallocx(void *block, int flags);
void sdallocx(void *block, size_t size, int flags);

#define ROUNDS 200

/* As memory for a pointer to a function that the loader fills in. */
static void *(*volatile by_pointer)(size_t, int) = mallocx;
static unsigned resized;

static void round_trip(int i)
{
	void *p = mallocx(111, 0), *q = by_pointer(112, 0x40 /* zeroed */);

	p = rallocx(p, 2222, 0);
	if (xallocx(p, 2300, 0, 0) >= 2300)
		resized++;
	if (i % 2)
		dallocx(p, 0);
	else
		sdallocx(p, 2300, 0);
	dallocx(q, 0);
	free(mallocx(113, 0));		/* malloc's own block as well */
	p = malloc(114);
	if (sallocx(p, 0) >= 114)
		dallocx(p, 0);
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++)
		round_trip(i);
	mallocx(115, 0);
	printf("expect mallocx 111 %d\nexpect mallocx 112 %d\nexpect mallocx 113 %d\n", ROUNDS, ROUNDS, ROUNDS);
	printf("expect rallocx 2222 %d\nexpect xallocx 2300 %u\n", ROUNDS, resized);
	printf("expect malloc 114 %d\n", ROUNDS);
	printf("expect dallocx - %d\nexpect sdallocx - %d\n", ROUNDS / 2 + 2 * ROUNDS, ROUNDS / 2);
	printf("live 111 0\nlive 112 0\nlive 113 0\nlive 114 0\nlive 2222 0\nlive 2300 0\nlive 115 1\n");
	printf("frames mallocx 111 ^round_trip;main;\nframes mallocx 115 ^main;\n");
	return 0;
}
