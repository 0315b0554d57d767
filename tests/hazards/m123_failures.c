/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* M123: allocations that fail are no blocks, whatever way they fail. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

#define HUGE (SIZE_MAX / 4)

#define FAILS(call) \
	do { \
		errno = 0; \
		CHECK((call) == NULL && errno == ENOMEM); \
	} while (0)

int main(void)
{
	volatile size_t huge = HUGE, many = 8;
	void *volatile kept = malloc(123), *out = &out;

	FAILS(malloc(huge));
	FAILS(calloc(huge, many));
	FAILS(realloc(kept, huge));
	FAILS(reallocarray(kept, huge, many));
	FAILS(aligned_alloc(64, huge));
	FAILS(memalign(64, huge));
	FAILS(valloc(huge));
	FAILS(pvalloc(huge));
	CHECK(posix_memalign((void **)&out, 64, huge) == ENOMEM && out == &out);
	CHECK(posix_memalign((void **)&out, 3, 10) == EINVAL && out == &out);
	CHECK(mmap(NULL, huge, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CHECK(mremap(NULL, 4096, huge, MREMAP_MAYMOVE) == MAP_FAILED);
	free(NULL);
	free(kept);
	return hazard_done();
}
