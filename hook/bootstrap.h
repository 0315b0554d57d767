/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A static buffer for allocations that come before libc's allocator can be found. */
#ifndef HOOK_BOOTSTRAP_H
#define HOOK_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

void *bootstrap_malloc(size_t size);
void *bootstrap_calloc(size_t n, size_t size);
void *bootstrap_realloc(void *block, size_t size);

/* Is this a block of the buffer?  Such a block is never handed to the real free or realloc. */
#ifdef HOOK_ENTRIES	/* a patched function had its allocator from the first */
static inline bool bootstrap_owns(const void *block)
{
	(void)block;
	return false;
}
#else
bool bootstrap_owns(const void *block);
#endif
size_t bootstrap_size(const void *block);

#endif
