/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of all kinds.  Each says at its start how it was made, and ends with a mark. */
#include "tests/soak/soak.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096u
#define LEAST 32u
#define MARK 0x736f616b626c6b21ull

enum kind {
	KIND_MALLOC, KIND_CALLOC, KIND_REALLOC, KIND_REALLOCARRAY, KIND_POSIX_MEMALIGN,
	KIND_ALIGNED_ALLOC, KIND_MEMALIGN, KIND_VALLOC, KIND_PVALLOC, KIND_STRDUP, KIND_STRNDUP,
	KIND_NEW, KIND_NEW_NOTHROW, KIND_NEW_ALIGNED, KIND_NEW_ARRAY, KIND_NEW_ARRAY_NOTHROW,
	KIND_NEW_ARRAY_ALIGNED, KIND_COUNT,
};

struct block {
	uint64_t mark;
	uint32_t kind, size;
	char bytes[];
};

static _Atomic(struct block *) slots[SLOTS];

void *cxx_new(size_t), *cxx_new_nothrow(size_t), *cxx_new_aligned(size_t);
void *cxx_new_array(size_t), *cxx_new_array_nothrow(size_t), *cxx_new_array_aligned(size_t);
void cxx_delete(void *), cxx_delete_sized(void *, size_t), cxx_delete_aligned(void *);
void cxx_delete_array(void *), cxx_delete_array_sized(void *, size_t), cxx_delete_array_aligned(void *);

#define CALL(op, size, expression) \
	do { \
		call_enter(OP_##op, size); \
		p = (expression); \
		call_leave(); \
	} while (0)

#define RELEASE(op, size, expression) \
	do { \
		call_enter(OP_##op, size); \
		expression; \
		call_leave(); \
	} while (0)

/* strdup needs something of that length. */
static const char *text(size_t size)
{
	static _Thread_local char buffer[1 << 16];

	memset(buffer, 'a', size - 1);
	buffer[size - 1] = 0;
	return buffer;
}

static void *make_c(enum kind kind, size_t size)
{
	static const size_t alignments[] = { 16, 32, 256, 4096 };
	size_t alignment = alignments[random_below(&worker.random, 4)];
	const char *s;
	void *p = NULL;

	switch (kind) {
	case KIND_CALLOC: CALL(CALLOC, size, calloc(size / 8, 8)); break;
	case KIND_REALLOC: CALL(REALLOC, size, realloc(NULL, size)); break;
	case KIND_REALLOCARRAY: CALL(REALLOCARRAY, size, reallocarray(NULL, size / 8, 8)); break;
	case KIND_POSIX_MEMALIGN:
		call_enter(OP_POSIX_MEMALIGN, size);
		if (posix_memalign(&p, alignment, size))
			p = NULL;
		call_leave();
		break;
	case KIND_ALIGNED_ALLOC: CALL(ALIGNED_ALLOC, size, aligned_alloc(alignment, size)); break;
	case KIND_MEMALIGN: CALL(MEMALIGN, size, memalign(alignment, size)); break;
	case KIND_VALLOC: CALL(VALLOC, size, valloc(size)); break;
	case KIND_PVALLOC: CALL(PVALLOC, size, pvalloc(size)); break;
	case KIND_STRDUP: s = text(size); CALL(STRDUP, size, strdup(s)); break;
	case KIND_STRNDUP: s = text(size); CALL(STRNDUP, size, strndup(s, size)); break;
	default: CALL(MALLOC, size, malloc(size)); break;
	}
	return p;
}

static void *make_cxx(enum kind kind, size_t size)
{
	void *p;

	switch (kind) {
	case KIND_NEW: CALL(NEW, size, cxx_new(size)); break;
	case KIND_NEW_NOTHROW: CALL(NEW_NT, size, cxx_new_nothrow(size)); break;
	case KIND_NEW_ALIGNED: CALL(NEW_AL, size, cxx_new_aligned(size)); break;
	case KIND_NEW_ARRAY: CALL(NEWA, size, cxx_new_array(size)); break;
	case KIND_NEW_ARRAY_NOTHROW: CALL(NEWA_NT, size, cxx_new_array_nothrow(size)); break;
	default: CALL(NEWA_AL, size, cxx_new_array_aligned(size)); break;
	}
	return p;
}

static size_t some_size(void)
{
	unsigned wide = random_below(&worker.random, 100);
	size_t size = LEAST + random_below(&worker.random, wide < 90 ? 256 : wide < 99 ? 4096 : 60000);

	return size & ~7ul;
}

static void write_block(struct block *p, enum kind kind, size_t size)
{
	const uint64_t mark = MARK;

	p->mark = MARK;
	p->kind = kind;
	p->size = (uint32_t)size;
	memcpy((char *)p + size - 8, &mark, 8);
}

static struct block *make(void)
{
	enum kind kind = random_below(&worker.random, 3) ? KIND_MALLOC :
		(enum kind)random_below(&worker.random, KIND_COUNT);
	size_t size = some_size();
	struct block *p = kind < KIND_NEW ? make_c(kind, size) : make_cxx(kind, size);

	if (p)
		write_block(p, kind, size);
	return p;
}

static void verify(const struct block *p)
{
	if (p->mark != MARK || memcmp((const char *)p + p->size - 8, &p->mark, 8) != 0)
		complain("a block was overwritten");
}

static void give(struct block *p)
{
	size_t n = p->size;
	bool sized = random_below(&worker.random, 2);

	verify(p);
	switch (p->kind) {
	case KIND_NEW:
		if (sized)
			RELEASE(DELETE_SZ, n, cxx_delete_sized(p, n));
		else
			RELEASE(DELETE, n, cxx_delete(p));
		break;
	case KIND_NEW_NOTHROW: RELEASE(DELETE, n, cxx_delete(p)); break;
	case KIND_NEW_ALIGNED: RELEASE(DELETE_AL, n, cxx_delete_aligned(p)); break;
	case KIND_NEW_ARRAY:
		if (sized)
			RELEASE(DELETEA_SZ, n, cxx_delete_array_sized(p, n));
		else
			RELEASE(DELETEA, n, cxx_delete_array(p));
		break;
	case KIND_NEW_ARRAY_NOTHROW: RELEASE(DELETEA, n, cxx_delete_array(p)); break;
	case KIND_NEW_ARRAY_ALIGNED: RELEASE(DELETEA_AL, n, cxx_delete_array_aligned(p)); break;
	default: RELEASE(FREE, n, free(p)); break;
	}
}

static struct block *resize(struct block *p)
{
	size_t size = some_size();
	bool array = random_below(&worker.random, 3) == 0;
	struct block *now;

	worker.old_bytes = p->size;
	call_enter(array ? OP_REALLOCARRAY : OP_REALLOC, size);
	now = array ? reallocarray(p, size / 8, 8) : realloc(p, size);
	call_leave();
	if (!now)
		return p;
	if (now->mark != MARK)
		complain("realloc lost the contents");
	write_block(now, KIND_REALLOC, size);
	return now;
}

/* Calls that fail, have no size, or release nothing. */
static void corner(void)
{
	void *volatile p;
	volatile size_t much = SIZE_MAX / 3;

	switch (random_below(&worker.random, 6)) {
	case 0: CALL(MALLOC, 0, malloc(much)); break;
	case 1: CALL(CALLOC, 0, calloc(much, 16)); break;
	case 2: free(NULL); return;
	case 3:
		CALL(MALLOC, 40, malloc(40));
		if (!p)
			return;
		worker.old_bytes = 40;
		call_enter(OP_REALLOC, much);
		if (realloc(p, much))
			complain("realloc of too much succeeded");
		call_leave();
		RELEASE(FREE, 40, free(p));
		return;
	case 4:
		CALL(MALLOC, 0, malloc(0));
		RELEASE(FREE, 0, free(p));
		return;
	default:
		CALL(MALLOC, 50, malloc(50));
		worker.old_bytes = 50;
		CALL(REALLOC, 0, realloc(p, 0));
		break;
	}
	if (p)
		complain("an impossible allocation succeeded");
}

void blocks_step(void)
{
	_Atomic(struct block *) *slot = &slots[random_below(&worker.random, SLOTS)];
	unsigned what = random_below(&worker.random, 100);
	struct block *p = NULL, *old;

	if (what >= 97) {
		corner();
		return;
	}
	if (what < 60)
		p = make();
	old = atomic_exchange(slot, p);
	if (!old)
		return;
	if (what >= 75 && old->kind < KIND_NEW && (old = atomic_exchange(slot, resize(old))) == NULL)
		return;
	give(old);
}

/* All that lies in the table. */
void blocks_drain(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		struct block *p = atomic_exchange(&slots[i], NULL);

		if (p)
			give(p);
	}
}
