/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A8: another interposer, preloaded by the user: it fills blocks and counts. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

unsigned long a8_mallocs;

void *malloc(size_t size)
{
	static void *(*next)(size_t);
	void *block;

	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	block = next(size);
	if (block)
		memset(block, 0xee, size);
	a8_mallocs++;
	return block;
}
