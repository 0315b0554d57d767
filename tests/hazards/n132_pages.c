/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N132: mappings cut, covered, doubled, moved and rounded; 92 pages are left. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

#define PAGE 4096ul

static char *map_pages(void *at, size_t size, int flags)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static char *__attribute__((noinline)) second_site(void)
{
	return map_pages(NULL, 10 * PAGE + 5, 0);
}

int main(int argc, char **argv)
{
	char *a = map_pages(NULL, 100 * PAGE, 0), *b, *shared;
	FILE *own = fopen(argv[0], "r");

	(void)argc;
	munmap(a + 10 * PAGE, 20 * PAGE);				/* 80 */
	munmap(a + 5 * PAGE, 10 * PAGE);				/* half of it is gone already: 75 */
	munmap(a + 90 * PAGE, 1);					/* 74 */
	map_pages(a + 40 * PAGE, 10 * PAGE, MAP_FIXED);			/* over itself: 74 */
	map_pages(a + 10 * PAGE, 3 * PAGE, MAP_FIXED);			/* into the hole: 77 */
	b = second_site();						/* 88 */
	b = mremap(b, 11 * PAGE, 30 * PAGE, MREMAP_MAYMOVE);		/* 107 */
	b = mremap(b, 30 * PAGE, 7 * PAGE, 0);				/* 84 */
	CHECK(mremap(b, 7 * PAGE, 1ul << 47, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(munmap(b + 1, PAGE) < 0);
	shared = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);	/* 88 */
	CHECK(mremap(shared, 0, 4 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED);		/* 92 */
	munmap(map_pages(NULL, 50 * PAGE, 0), 50 * PAGE);
	CHECK(own && mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(own), 0) != MAP_FAILED);
	CHECK(mprotect(a, PAGE, PROT_NONE) == 0 && madvise(a + PAGE, PAGE, MADV_DONTNEED) == 0);
	return hazard_done();
}
