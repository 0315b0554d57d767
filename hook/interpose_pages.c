/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmap and its family: pure pass-through, recorded for anonymous memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "hook/call.h"
#include "hook/clock.h"
#include "hook/face.h"

typedef void *mmap_fn(void *, size_t, int, int, int, off_t);
typedef int munmap_fn(void *, size_t);
typedef void *mremap_fn(void *, size_t, size_t, int, void *);
typedef int brk_fn(void *);
typedef void *sbrk_fn(intptr_t);

/* A mapping put over others with MAP_FIXED ends what was there; if it is a file, or left out, only that. */
static void record_mmap(struct pages_call *p, enum op op, void *at, size_t length, int flags,
			uint64_t before)
{
	if (at == MAP_FAILED)
		return;
	if (flags & MAP_ANONYMOUS && call_map(p, op, at, length))
		return;
	if (flags & MAP_FIXED)
		call_unmap(p, OP_MUNMAP, at, length, before);
}

#define MMAP_LIKE(op, name) \
FACE(void *, name, void *want, size_t length, int prot, int flags, int fd, off_t offset) \
{ \
	CALLED; \
	struct pages_call p; \
	uint64_t before; \
	void *at; \
 \
	if (!call_pages_begin(&p, caller)) \
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

FACE(int, munmap, void *start, size_t length)
{
	CALLED;
	struct pages_call p;
	uint64_t before;
	int r;

	if (!call_pages_begin(&p, caller))
		return REAL(MUNMAP, munmap_fn)(start, length);
	call_pages_going(start, length);
	before = hook_stamp();
	r = REAL(MUNMAP, munmap_fn)(start, length);
	if (r == 0)
		call_unmap(&p, OP_MUNMAP, start, length, before);
	call_pages_end(&p);
	return r;
}

static inline void *remap(struct caller caller, REAL_TAKE void *old, size_t old_length, size_t length,
			  int flags, void *want)
{
	struct pages_call p;
	uint64_t before;
	void *at;

	if (!call_pages_begin(&p, caller))
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

#ifdef HOOK_ENTRIES
ENTRY(void *, mremap, void *old, size_t old_length, size_t length, int flags, void *want)
{
	return remap(caller, real, old, old_length, length, flags, want);
}
#else
EXPORT void *mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
	va_list arguments;
	void *want;

	va_start(arguments, flags);
	want = va_arg(arguments, void *);
	va_end(arguments);
	return remap(CALLER(), old, old_length, length, flags, want);
}
#endif

/* The program break moved from `from` to `to`. */
static void record_break(struct pages_call *p, enum op op, uintptr_t from, uintptr_t to,
			 uint64_t before)
{
	if (to > from)
		call_map(p, op, (void *)from, to - from);
	else if (to < from)
		call_unmap(p, OP_BRK_UNMAP, (void *)to, from - to, before);
}

#ifdef HOOK_ENTRIES
/* That of sbrk tells of it. */
static bool below_pages(const struct pages_call *p)
{
	return p->inner && p->call.thread->guard & GUARD_PAGES;
}

static uintptr_t current_break(struct caller caller)
{
	(void)caller;
	return (uintptr_t)raw_call(RAW_NR_brk, 0, 0, 0, 0, 0);
}
#else
static bool below_pages(const struct pages_call *p)
{
	(void)p;
	return false;
}

static uintptr_t current_break(struct caller caller)
{
	return (uintptr_t)REAL(SBRK, sbrk_fn)(0);
}
#endif

FACE(int, brk, void *to)
{
	CALLED;
	struct pages_call p;
	uintptr_t from;
	uint64_t before;
	int r;

	if (!call_pages_begin(&p, caller) || below_pages(&p))
		return REAL(BRK, brk_fn)(to);
	from = current_break(caller);
	before = hook_stamp();
	r = REAL(BRK, brk_fn)(to);
	if (r == 0)
		record_break(&p, OP_BRK, from, (uintptr_t)to, before);
	call_pages_end(&p);
	return r;
}

FACE(void *, sbrk, intptr_t increment)
{
	CALLED;
	struct pages_call p;
	uint64_t before;
	void *from;

	if (!increment || !call_pages_begin(&p, caller))
		return REAL(SBRK, sbrk_fn)(increment);
	before = hook_stamp();
	from = REAL(SBRK, sbrk_fn)(increment);
	if (from != (void *)-1)
		record_break(&p, OP_SBRK, (uintptr_t)from,
			     (uintptr_t)from + (uintptr_t)increment, before);
	call_pages_end(&p);
	return from;
}
