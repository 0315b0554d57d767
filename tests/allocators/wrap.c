/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A wrapper to be preloaded: malloc through calloc, filled; posix_memalign through aligned_alloc. */
#include <stdlib.h>
#include <string.h>

void *malloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	return p ? memset(p, 0xa5, n) : p;
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
	if (alignment < sizeof(void *) || alignment & (alignment - 1))
		return 22;
	*out = aligned_alloc(alignment, n);
	return *out ? 0 : 12;
}
