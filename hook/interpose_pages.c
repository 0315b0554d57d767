/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmap and its family: pure pass-through, recorded for anonymous memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "hook/call.h"
#include "hook/clock.h"
#include "hook/real.h"

#define EXPORT __attribute__((visibility("default"), noinline))
#define REAL(op, type) ((type *)real_get(OP_##op, caller_pc(CALLER())))

typedef void *mmap_fn(void *, size_t, int, int, int, off_t);
typedef int munmap_fn(void *, size_t);
typedef void *mremap_fn(void *, size_t, size_t, int, void *);
typedef int brk_fn(void *);
typedef void *sbrk_fn(intptr_t);

/* A mapping put over others with MAP_FIXED ends what was there; if it is a file, only that. */
static void record_mmap(struct pages_call *p, enum op op, void *at, size_t length, int flags,
			uint64_t before)
{
	if (at == MAP_FAILED)
		return;
	if (flags & MAP_ANONYMOUS)
		call_map(p, op, at, length);
	else if (flags & MAP_FIXED)
		call_unmap(p, OP_MUNMAP, at, length, before);
}

#define MMAP_LIKE(op, name) \
EXPORT void *name(void *want, size_t length, int prot, int flags, int fd, off_t offset) \
{ \
	struct pages_call p; \
	uint64_t before; \
	void *at; \
 \
	if (!call_pages_begin(&p, CALLER())) \
		return REAL(op, mmap_fn)(want, length, prot, flags, fd, offset); \
	if (flags & MAP_FIXED) \
		call_pages_going(want, length); \
	before = hook_stamp(); \
	at = REAL(op, mmap_fn)(want, length, prot, flags, fd, offset); \
	record_mmap(&p, OP_##op, at, length, flags, before); \
	call_pages_end(&p); \
	return at; \
}

#undef mmap64
MMAP_LIKE(MMAP, mmap)
MMAP_LIKE(MMAP64, mmap64)

EXPORT int munmap(void *start, size_t length)
{
	struct pages_call p;
	uint64_t before;
	int r;

	if (!call_pages_begin(&p, CALLER()))
		return REAL(MUNMAP, munmap_fn)(start, length);
	call_pages_going(start, length);
	before = hook_stamp();
	r = REAL(MUNMAP, munmap_fn)(start, length);
	if (r == 0)
		call_unmap(&p, OP_MUNMAP, start, length, before);
	call_pages_end(&p);
	return r;
}

EXPORT void *mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
	struct pages_call p;
	uint64_t before;
	va_list arguments;
	void *want, *at;

	va_start(arguments, flags);
	want = va_arg(arguments, void *);
	va_end(arguments);
	if (!call_pages_begin(&p, CALLER()))
		return REAL(MREMAP, mremap_fn)(old, old_length, length, flags, want);
	call_pages_going(old, old_length);
	before = hook_stamp();
	at = REAL(MREMAP, mremap_fn)(old, old_length, length, flags, want);
	if (at != MAP_FAILED) {
		if (old_length && !(flags & MREMAP_DONTUNMAP))
			call_unmap(&p, OP_MREMAP_UNMAP, old, old_length, before);
		call_map(&p, OP_MREMAP, at, length);
	}
	call_pages_end(&p);
	return at;
}

/* The program break moved from `from` to `to`. */
static void record_break(struct pages_call *p, enum op op, uintptr_t from, uintptr_t to,
			 uint64_t before)
{
	if (to > from)
		call_map(p, op, (void *)from, to - from);
	else if (to < from)
		call_unmap(p, OP_BRK_UNMAP, (void *)to, from - to, before);
}

EXPORT int brk(void *to)
{
	struct pages_call p;
	uintptr_t from;
	uint64_t before;
	int r;

	if (!call_pages_begin(&p, CALLER()))
		return REAL(BRK, brk_fn)(to);
	from = (uintptr_t)REAL(SBRK, sbrk_fn)(0);
	before = hook_stamp();
	r = REAL(BRK, brk_fn)(to);
	if (r == 0)
		record_break(&p, OP_BRK, from, (uintptr_t)to, before);
	call_pages_end(&p);
	return r;
}

EXPORT void *sbrk(intptr_t increment)
{
	struct pages_call p;
	uint64_t before;
	void *from;

	if (!increment || !call_pages_begin(&p, CALLER()))
		return REAL(SBRK, sbrk_fn)(increment);
	before = hook_stamp();
	from = REAL(SBRK, sbrk_fn)(increment);
	if (from != (void *)-1)
		record_break(&p, OP_SBRK, (uintptr_t)from,
			     (uintptr_t)from + (uintptr_t)increment, before);
	call_pages_end(&p);
	return from;
}
