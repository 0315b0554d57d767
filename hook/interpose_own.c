/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrappers for the functions that one allocator alone has. */
#include <stddef.h>
#include <stdint.h>

#include "hook/call.h"
#include "hook/face.h"
#include "hook/memory.h"
#include "hook/own.h"
#include "hook/own_functions.h"

typedef uintptr_t word;

/* What the two result registers hold: __size_returning_new uses both. */
struct words {
	word first, second;
};

typedef struct words own_fn(word, word, word, word, word, word);

/* One call. */
struct own_call {
	struct call call;
	struct resize resize;
	enum op op;
	bool recorded;		/* not part of another call */
	unsigned known;		/* if not: what the shadow knew about the block */
};

static word product(word n, word size)
{
	word bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? ~(word)0 : bytes;
}

static word at(word place)
{
	return place ? *(const word *)place : 0;
}

static word wide_bytes(word string)
{
	const uint16_t *s = (const void *)string;
	word n = 0;

	while (s && s[n])
		n++;
	return (n + 1) * sizeof(*s);
}

static word string_bytes(word string)
{
	return string ? hook_strlen((const char *)string) + 1 : 1;
}

static bool failed(word result)
{
	return (uint32_t)result != 0;
}

/* What each shape means: the block that may end, the one that then is (0: none), and its size.  No
 * block and a size other than 0: the old one stays. */
#define OLD_ALLOC(size)			0
#define NOW_ALLOC(size)			r.first
#define SIZE_ALLOC(size)		(size)
#define OLD_RESIZE(old, size)		(old)
#define NOW_RESIZE(old, size)		r.first
#define SIZE_RESIZE(old, size)		(size)
#define OLD_REPLACE(old, size)		(old)
#define NOW_REPLACE(old, size)		r.first
#define SIZE_REPLACE(old, size)		(r.first ? (size) : 0)
#define OLD_STRING(not)			0
#define NOW_STRING(not)			(r.first == (not) ? 0 : r.first)
#define SIZE_STRING(not)		string_bytes(r.first)
#define OLD_WIDE(unused)		0
#define NOW_WIDE(unused)		r.first
#define SIZE_WIDE(unused)		wide_bytes(r.first)
#define OLD_STORED(size)		0
#define NOW_STORED(size)		(failed(r.first) ? 0 : at(a))
#define SIZE_STORED(size)		(size)
#define OLD_DUPENV(unused)		0
#define NOW_DUPENV(unused)		(failed(r.first) ? 0 : at(a))
#define SIZE_DUPENV(unused)		(failed(r.first) ? 1 : string_bytes(at(a)))
#define OLD_RESTORED(size)		at(a)
#define NOW_RESTORED(size)		(failed(r.first) ? 0 : at(a))
#define SIZE_RESTORED(size)		(failed(r.first) ? 1 : (size))
#define OLD_IN_PLACE(old, size)		(old)
#define NOW_IN_PLACE(old, size)		(r.first >= (size) ? (old) : 0)
#define SIZE_IN_PLACE(old, size)	(r.first >= (size) ? (size) : 1)

static void own_begin(struct own_call *o, struct caller caller, word old)
{
	o->recorded = call_begin(&o->call, caller);
	if (o->recorded) {
		call_resize_begin(&o->call, &o->resize, o->op, (void *)old);
		call_real(&o->call);
	} else {
		o->known = call_aside_retire(&o->call, (void *)old);
	}
}

static void own_end(struct own_call *o, word old, word now, word size)
{
	if (!o->recorded) {
		call_aside_resized(&o->call, (void *)old, o->known, (void *)now, size);
		return;
	}
	call_done(&o->call);
	call_resize_end(&o->call, &o->resize, o->op, (void *)now, size);
	call_end(&o->call);
}

static struct words own_release(own_fn *real, enum op op, struct caller caller, word block, const word *rest)
{
	struct call c;
	bool recorded = block && call_begin(&c, caller);
	struct words r;

	if (recorded) {
		call_free(&c, op, (void *)block);
		call_real(&c);
	} else if (block) {
		call_aside_free(&c, op, (void *)block);
	}
	r = real(block, rest[0], rest[1], 0, 0, 0);
	if (recorded)
		call_end(&c);
	return r;
}

#ifdef HOOK_ENTRIES
#define OWN_FACE(symbol) ENTRY_WORDS(struct words, symbol, word a, word b, word c, word d, word e, word f)
#define OWN_REAL(symbol) ((own_fn *)real)
#else
enum own {
#define X(symbol, op, shape) OWN_##symbol,
#define Y(symbol, op) OWN_##symbol,
	OWN_FUNCTIONS(X, Y)
#undef X
#undef Y
	OWN_END,
};

static void *_Atomic reals[OWN_END];

#define OWN_FACE(symbol) \
static __attribute__((noinline)) struct words own_##symbol(word a, word b, word c, word d, word e, word f)
#define OWN_REAL(symbol) \
	((own_fn *)atomic_load_explicit(&reals[OWN_##symbol], memory_order_acquire))
#endif

#define DEFINE(symbol, number, shape) \
OWN_FACE(symbol) \
{ \
	CALLED; \
	struct own_call o = { .op = OP_##number }; \
	word old = OLD_##shape; \
	struct words r; \
 \
	own_begin(&o, caller, old); \
	r = OWN_REAL(symbol)(a, b, c, d, e, f); \
	own_end(&o, old, NOW_##shape, SIZE_##shape); \
	return r; \
}

#define DEFINE_RELEASE(symbol, number) \
OWN_FACE(symbol) \
{ \
	CALLED; \
 \
	(void)d; \
	(void)e; \
	(void)f; \
	return own_release(OWN_REAL(symbol), OP_##number, caller, a, (word[2]){ b, c }); \
}

#define X DEFINE
#define Y DEFINE_RELEASE
OWN_FUNCTIONS(X, Y)
#undef X
#undef Y

#ifndef HOOK_ENTRIES
static const struct {
	const char *name;
	own_fn *wrapper;
} table[OWN_END] = {
#define X(symbol, op, shape) { #symbol, own_##symbol },
#define Y(symbol, op) { #symbol, own_##symbol },
	OWN_FUNCTIONS(X, Y)
#undef X
#undef Y
};

void *own_wrapper(const char *name, void *_Atomic **real)
{
	for (unsigned i = 0; i < OWN_END; i++) {
		if (!hook_streq(table[i].name, name))
			continue;
		*real = &reals[i];
		return (void *)table[i].wrapper;
	}
	return NULL;
}
#endif
