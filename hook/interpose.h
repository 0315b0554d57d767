/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The faces of functions that make or end one heap block: the short way first (hook/fast.h), the long
 * one (hook/call.h) in a function of its own.
 *
 *	ALLOCATES(op, family, name, type, bytes, (arguments), parameters...)
 *	RELEASES(op, family, name)
 *
 * op and family are those of trace/functions.h without their prefixes, type is the real function's, bytes an
 * expression of the parameters.  What is released comes first; the extra arguments of the sized and
 * aligned forms ride along: on every supported ABI a caller may pass more than the callee reads. */
#ifndef HOOK_INTERPOSE_H
#define HOOK_INTERPOSE_H

#include <stddef.h>

#include "hook/bootstrap.h"
#include "hook/call.h"
#include "hook/face.h"
#include "hook/fast.h"

#define LONG static __attribute__((noinline))
#define LISTED(...) __VA_ARGS__

/* An operator that comes down to another one which is the program's: only that is recorded.  Where
 * both are patched, both come by here, and the inner one is a part of the outer. */
#define PASSED_ON(family) (FACE_FROM_START && OP_FAMILY_##family != OP_FAMILY_MALLOC && unlikely(hook.own_new))

/* An allocator frees what it kept of freed blocks.  Such a call does not come by the linker. */
#define BY_ALLOCATOR(caller) (!FACE_FROM_START && unlikely(call_by_allocator(caller)))

typedef void release_fn(void *, size_t, size_t);

#define ALLOCATES(op, family, name, type, bytes, arguments, ...) \
LONG void *long_##name(struct caller caller, REAL_TAKE __VA_ARGS__) \
{ \
	struct channel_thread *t; \
	struct call c; \
	void *p; \
 \
	t = fast_inner(caller); \
	if (t) { \
		p = REAL(op, type) arguments; \
		fast_inner_alloc(t, p); \
		return p; \
	} \
	if (!call_begin(&c, caller)) \
		return call_aside_alloc(&c, REAL(op, type) arguments); \
	call_real(&c); \
	p = REAL(op, type) arguments; \
	call_done(&c); \
	if (p) \
		call_alloc(&c, OP_##op, p, bytes); \
	call_end(&c); \
	return p; \
} \
 \
FACE(void *, name, __VA_ARGS__) \
{ \
	CALLED; \
	struct channel_thread *t; \
	void *p; \
 \
	if (PASSED_ON(family)) \
		return REAL(op, type) arguments; \
	t = fast_begin(caller, true); \
	if (unlikely(!t)) \
		return long_##name(caller, REAL_PASS LISTED arguments); \
	p = REAL(op, type) arguments; \
	if (likely(p)) \
		fast_alloc(t, caller, OP_##op, OP_FAMILY_##family, p, bytes); \
	else \
		fast_end(t); \
	return p; \
}

#define RELEASES(op, family, name) \
LONG void long_##name(struct caller caller, REAL_TAKE void *block, size_t a, size_t b) \
{ \
	struct call c; \
 \
	if (BY_ALLOCATOR(caller) || fast_inner_free(caller, block)) { \
		REAL(op, release_fn)(block, a, b); \
		return; \
	} \
	if (unlikely(bootstrap_owns(block))) \
		return; \
	if (!block || !call_begin(&c, caller)) { \
		if (block) \
			call_aside_free(&c, OP_##op, block); \
		REAL(op, release_fn)(block, a, b); \
		return; \
	} \
	call_free(&c, OP_##op, block); \
	call_real(&c); \
	REAL(op, release_fn)(block, a, b); \
	call_end(&c); \
} \
 \
FACE_VOID(name, void *block, size_t a, size_t b) \
{ \
	CALLED; \
	struct channel_thread *t; \
 \
	if (PASSED_ON(family)) { \
		REAL(op, release_fn)(block, a, b); \
		return; \
	} \
	t = !shadow.top && BY_ALLOCATOR(caller) ? NULL : fast_free(caller, OP_##op, OP_FAMILY_##family, block); \
	if (unlikely(!t)) { \
		long_##name(caller, REAL_PASS block, a, b); \
		return; \
	} \
	REAL(op, release_fn)(block, a, b); \
	fast_end(t); \
}

#endif
