/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One function, NAME, that allocates: libraries that differ in nothing but its name. */
#include <stdlib.h>

void *NAME(size_t size);
__attribute__((noinline)) void *NAME(size_t size)
{
	char *p = malloc(size);

	__asm__ volatile("" : "+r"(p));
	return p;
}
