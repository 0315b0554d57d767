/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The soaking heap's faces: malloc and its family, and anonymous mappings. */
#include "tests/soak/shadow_count.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096ul

void *malloc(size_t size)
{
	return heap_take(OP_MALLOC, size, 16);
}

void free(void *block)
{
	heap_give(OP_FREE, block);
}

static bool product(size_t n, size_t size, size_t *bytes)
{
	if (!__builtin_mul_overflow(n, size, bytes))
		return true;
	errno = ENOMEM;
	return false;
}

void *calloc(size_t n, size_t size)
{
	size_t bytes;
	void *block = product(n, size, &bytes) ? heap_take(OP_CALLOC, bytes, 16) : NULL;

	return block ? memset(block, 0, bytes) : NULL;
}

void *realloc(void *block, size_t size)
{
	return heap_resize(OP_REALLOC, block, size);
}

void *reallocarray(void *block, size_t n, size_t size)
{
	size_t bytes;

	return product(n, size, &bytes) ? heap_resize(OP_REALLOCARRAY, block, bytes) : NULL;
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *block = heap_take(OP_POSIX_MEMALIGN, size, alignment);

	if (!block)
		return ENOMEM;
	*out = block;
	return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return heap_take(OP_ALIGNED_ALLOC, size, alignment);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
	return heap_take(OP_MEMALIGN, size, alignment);
}

void *valloc(size_t size)
{
	return heap_take(OP_VALLOC, size, PAGE);
}

void *pvalloc(size_t size);
void *pvalloc(size_t size)
{
	return heap_take(OP_PVALLOC, size, PAGE);
}

size_t malloc_usable_size(void *block);
size_t malloc_usable_size(void *block)
{
	return heap_size(block);
}

static char *copy(enum op op, const char *from, size_t length)
{
	char *block = heap_take(op, length + 1, 16);

	if (!block)
		return NULL;
	memcpy(block, from, length);
	block[length] = 0;
	return block;
}

#undef strdup
#undef strndup
char *strdup(const char *s)
{
	return copy(OP_STRDUP, s, strlen(s));
}

char *__strdup(const char *s);
char *__strdup(const char *s)
{
	return copy(OP_UNDER_STRDUP, s, strlen(s));
}

char *strndup(const char *s, size_t n)
{
	return copy(OP_STRNDUP, s, strnlen(s, n));
}

static void *failed(long result)
{
	errno = (int)-result;
	return MAP_FAILED;
}

static void *map(enum op op, void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *result = shadow_map(at, size, protection, flags, fd, offset);

	if ((unsigned long)result > -PAGE)
		return failed((long)result);
	if (flags & MAP_ANONYMOUS)
		shadow_begins(op, size);
	return result;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(OP_MMAP, at, size, protection, flags, fd, offset);
}

#undef mmap64
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(OP_MMAP64, at, size, protection, flags, fd, offset);
}

int munmap(void *at, size_t size)
{
	long result = shadow_call(SYS_munmap, (long)at, (long)size, 0, 0, 0);

	if (result) {
		errno = (int)-result;
		return -1;
	}
	shadow_moves(OP_MUNMAP, OP_VOID, size, SIZE_MAX);
	return 0;
}

void *mremap(void *at, size_t old, size_t size, int flags, ...)
{
	va_list arguments;
	void *want;
	long result;

	va_start(arguments, flags);
	want = va_arg(arguments, void *);
	va_end(arguments);
	result = shadow_call(SYS_mremap, (long)at, (long)old, (long)size, flags, (long)want);
	if ((unsigned long)result > -PAGE)
		return failed(result);
	shadow_moves(OP_MREMAP_UNMAP, OP_MREMAP, old, size);
	return (void *)result;
}
