/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bump allocation with the size in front of each block; nothing is ever given back. */
#include "hook/bootstrap.h"

#include <stdatomic.h>
#include <stdint.h>

#include "hook/memory.h"

#define BUFFER_BYTES	65536u
#define HEAD		16u

static _Alignas(16) unsigned char buffer[BUFFER_BYTES];
static _Atomic size_t used;

void *bootstrap_malloc(size_t size)
{
	size_t need, at;

	if (size > BUFFER_BYTES - HEAD)
		return NULL;
	need = HEAD + ((size + 15) & ~(size_t)15);
	at = atomic_fetch_add(&used, need);
	if (at + need > BUFFER_BYTES) {
		atomic_fetch_sub(&used, need);
		return NULL;
	}
	*(size_t *)(buffer + at) = size;
	return buffer + at + HEAD;
}

void *bootstrap_calloc(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return bootstrap_malloc(bytes);	/* never reused, so still zero */
}

void *bootstrap_realloc(void *block, size_t size)
{
	void *to = bootstrap_malloc(size);
	size_t old;

	if (to && block && bootstrap_owns(block)) {
		old = bootstrap_size(block);
		memcpy(to, block, old < size ? old : size);
	}
	return to;
}

bool bootstrap_owns(const void *block)
{
	uintptr_t p = (uintptr_t)block, base = (uintptr_t)buffer;

	return p >= base + HEAD && p < base + BUFFER_BYTES;
}

size_t bootstrap_size(const void *block)
{
	return *(const size_t *)((const unsigned char *)block - HEAD);
}
