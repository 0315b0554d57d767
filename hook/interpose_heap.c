/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* malloc and its family, as the program sees them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/interpose.h"
#include "hook/memory.h"

typedef void *malloc_fn(size_t);
typedef void *calloc_fn(size_t, size_t);
typedef void *realloc_fn(void *, size_t);
typedef void *reallocarray_fn(void *, size_t, size_t);
typedef int posix_memalign_fn(void **, size_t, size_t);
typedef char *strndup_fn(const char *, size_t);

/* Every function below is one of the table's: these are its C faces. */
#define MALLOC_LIKE(op, name) \
	ALLOCATES(op, MALLOC, name, malloc_fn, size, (size), size_t size)
#define CALLOC_LIKE(op, name) \
	ALLOCATES(op, MALLOC, name, calloc_fn, n * size, (n, size), size_t n, size_t size)
#define MEMALIGN_LIKE(op, name) \
	ALLOCATES(op, MALLOC, name, calloc_fn, size, (alignment, size), size_t alignment, size_t size)
#define FREE_LIKE(op, name) \
	RELEASES(op, MALLOC, name)

/* strdup does not read the n of strndup. */
#define STRDUP_LIKE(op, name) \
FACE(char *, name, const char *s, size_t n) \
{ \
	CALLED; \
	struct call c; \
	char *p; \
 \
	if (!call_begin(&c, caller)) \
		return call_aside_alloc(&c, REAL(op, strndup_fn)(s, n)); \
	call_real(&c); \
	p = REAL(op, strndup_fn)(s, n); \
	call_done(&c); \
	if (p && call_owns(p)) \
		call_alloc(&c, OP_##op, p, hook_strlen(p) + 1); \
	call_end(&c); \
	return p; \
}

#define REALLOC_LIKE(op, name) \
LONG void *long_##name(void *block, size_t size, REAL_TAKE struct caller caller) \
{ \
	struct call c; \
	struct resize r; \
	void *p; \
 \
	if (unlikely(bootstrap_owns(block))) \
		return leave_bootstrap(block, size, caller); \
	if (!call_begin(&c, caller)) { \
		r.known = call_aside_retire(&c, block); \
		p = REAL(op, realloc_fn)(block, size); \
		call_aside_resized(&c, block, r.known, p, size); \
		return p; \
	} \
	call_resize_begin(&c, &r, OP_##op, block); \
	call_real(&c); \
	p = REAL(op, realloc_fn)(block, size); \
	call_done(&c); \
	call_resize_end(&c, &r, OP_##op, p, size); \
	call_end(&c); \
	return p; \
} \
 \
FACE(void *, name, void *block, size_t size) \
{ \
	CALLED; \
	struct channel_thread *t = fast_retire(caller, OP_FAMILY_MALLOC, block); \
	uint64_t stamp; \
	void *p; \
 \
	if (unlikely(!t)) \
		return long_##name(block, size, REAL_PASS caller); \
	stamp = raw_ticks(); \
	p = REAL(op, realloc_fn)(block, size); \
	fast_resized(t, caller, OP_##op, block, stamp, p, size); \
	return p; \
}

/* A bootstrap block grows: from now on it lives on the real heap. */
#ifdef HOOK_ENTRIES
#define leave_bootstrap(block, size, caller) NULL
#else
static void *leave_bootstrap(void *block, size_t size, struct caller caller)
{
	malloc_fn *real = (malloc_fn *)real_get(OP_MALLOC, caller_pc(caller));
	size_t old = bootstrap_size(block);
	struct call c;
	bool record = call_begin(&c, caller);
	void *p;

	if (record)
		call_real(&c);
	p = real(size);
	if (p)
		memcpy(p, block, old < size ? old : size);
	if (!record)
		return call_aside_alloc(&c, p);
	call_done(&c);
	if (p)
		call_alloc(&c, OP_REALLOC, p, size);
	call_end(&c);
	return p;
}
#endif

MALLOC_LIKE(MALLOC, malloc)
MALLOC_LIKE(VALLOC, valloc)
MALLOC_LIKE(PVALLOC, pvalloc)
MALLOC_LIKE(LIBC_MALLOC, __libc_malloc)
MALLOC_LIKE(LIBC_VALLOC, __libc_valloc)
MALLOC_LIKE(LIBC_PVALLOC, __libc_pvalloc)
CALLOC_LIKE(CALLOC, calloc)
CALLOC_LIKE(LIBC_CALLOC, __libc_calloc)
MEMALIGN_LIKE(ALIGNED_ALLOC, aligned_alloc)
MEMALIGN_LIKE(MEMALIGN, memalign)
MEMALIGN_LIKE(LIBC_MEMALIGN, __libc_memalign)
REALLOC_LIKE(REALLOC, realloc)
REALLOC_LIKE(LIBC_REALLOC, __libc_realloc)
FREE_LIKE(FREE, free)
FREE_LIKE(CFREE, cfree)
FREE_LIKE(FREE_SIZED, free_sized)
FREE_LIKE(FREE_ALIGNED, free_aligned_sized)
FREE_LIKE(LIBC_FREE, __libc_free)
STRDUP_LIKE(STRDUP, strdup)
STRDUP_LIKE(UNDER_STRDUP, __strdup)
STRDUP_LIKE(STRNDUP, strndup)
STRDUP_LIKE(UNDER_STRNDUP, __strndup)

FACE(void *, reallocarray, void *block, size_t n, size_t size)
{
	CALLED;
	size_t bytes = 0;
	bool overflow = __builtin_mul_overflow(n, size, &bytes);
	struct resize r;
	struct call c;
	void *p;

	if (unlikely(bootstrap_owns(block)))
		return overflow ? NULL : leave_bootstrap(block, bytes, caller);
	if (overflow)
		return REAL(REALLOCARRAY, reallocarray_fn)(block, n, size);
	if (!call_begin(&c, caller)) {
		r.known = call_aside_retire(&c, block);
		p = REAL(REALLOCARRAY, reallocarray_fn)(block, n, size);
		call_aside_resized(&c, block, r.known, p, bytes);
		return p;
	}
	call_resize_begin(&c, &r, OP_REALLOCARRAY, block);
	call_real(&c);
	p = REAL(REALLOCARRAY, reallocarray_fn)(block, n, size);
	call_done(&c);
	call_resize_end(&c, &r, OP_REALLOCARRAY, p, bytes);
	call_end(&c);
	return p;
}

FACE(int, posix_memalign, void **out, size_t alignment, size_t size)
{
	CALLED;
	struct call c;
	int error;

	if (!call_begin(&c, caller)) {
		error = REAL(POSIX_MEMALIGN, posix_memalign_fn)(out, alignment, size);
		if (!error)
			call_aside_alloc(&c, *out);
		return error;
	}
	call_real(&c);
	error = REAL(POSIX_MEMALIGN, posix_memalign_fn)(out, alignment, size);
	call_done(&c);
	if (!error && *out)
		call_alloc(&c, OP_POSIX_MEMALIGN, *out, size);
	call_end(&c);
	return error;
}
