/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole malloc API over three functions, so that an allocator of a page runs real programs.
 *
 *	static void *block_new(size_t alignment, size_t size);	NULL: no memory; alignment >= 16
 *	static void block_free(void *p);
 *	static size_t block_room(const void *p);		usable bytes
 *
 * All three are called with the lock held.  Include this after them, once. */
#ifndef EXAMPLES_MALLOC_API_H
#define EXAMPLES_MALLOC_API_H

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT		__attribute__((visibility("default")))
#define LEAST_ALIGNMENT	16u
#define PAGE		4096u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_take(void) { pthread_mutex_lock(&lock); }
static void lock_give(void) { pthread_mutex_unlock(&lock); }

/* A child of fork must not find the lock taken by a thread that it does not have. */
static __attribute__((constructor)) void lock_prepare(void)
{
	pthread_atfork(lock_take, lock_give, lock_give);
}

static void *take(size_t alignment, size_t size)
{
	void *p = NULL;

	if (alignment < LEAST_ALIGNMENT)
		alignment = LEAST_ALIGNMENT;
	if (size <= PTRDIFF_MAX / 2 && alignment <= PTRDIFF_MAX / 4) {
		lock_take();
		p = block_new(alignment, size);
		lock_give();
	}
	if (!p)
		errno = ENOMEM;
	return p;
}

EXPORT void *malloc(size_t size)
{
	return take(LEAST_ALIGNMENT, size);
}

EXPORT void free(void *p)
{
	int saved = errno;

	if (!p)
		return;
	lock_take();
	block_free(p);
	lock_give();
	errno = saved;
}

/* sbrk gives zeroed memory, but a block may have been used before. */
EXPORT void *calloc(size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = SIZE_MAX;
	p = take(LEAST_ALIGNMENT, bytes);
	return p ? memset(p, 0, bytes) : NULL;
}

EXPORT size_t malloc_usable_size(void *p)
{
	return p ? block_room(p) : 0;
}

EXPORT void *realloc(void *old, size_t size)
{
	size_t room = malloc_usable_size(old);
	void *p;

	if (old && !size) {
		free(old);
		return NULL;
	}
	if (old && size <= room && size >= room / 2)
		return old;
	p = take(LEAST_ALIGNMENT, size);
	if (p && old) {
		memcpy(p, old, room < size ? room : size);
		free(old);
	}
	return p;
}

EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(count, size, &bytes))
		return realloc(old, bytes);
	errno = ENOMEM;
	return NULL;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	if (alignment && !(alignment & (alignment - 1)))
		return take(alignment, size);
	errno = EINVAL;
	return NULL;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
	int saved = errno;
	void *p;

	if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1))
		return EINVAL;
	p = take(alignment, size);
	errno = saved;
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

EXPORT void *valloc(size_t size)
{
	return take(PAGE, size);
}

EXPORT void *pvalloc(size_t size)
{
	return take(PAGE, size > SIZE_MAX - PAGE ? size : (size + PAGE - 1) / PAGE * PAGE);
}

#endif
