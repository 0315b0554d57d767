/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growth of typed arrays. */
#include "base/vector.h"

#include "base/alloc.h"

void *vector_grow(void *items, size_t *capacity, size_t want, size_t size)
{
	size_t next = *capacity + *capacity / 2;

	if (next < want)
		next = want;
	if (next < 8)
		next = 8;
	items = xreallocarray(items, next, size);
	*capacity = next;
	return items;
}
