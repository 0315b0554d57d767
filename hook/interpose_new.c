/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operator new and delete in all their forms, under their mangled names.  bad_alloc, new_handler
 * and the rest are the real operator's business: it throws through these frames, which have
 * unwind tables and nothing to clean up but the guard, and a stale guard is recognised. */
#include <stddef.h>

#include "hook/bootstrap.h"
#include "hook/call.h"
#include "hook/fast.h"
#include "hook/real.h"

#define EXPORT __attribute__((visibility("default"), noinline))
#define LONG static __attribute__((noinline))

typedef void *new_fn(size_t, size_t, size_t);
typedef void delete_fn(void *, size_t, size_t);

/* Size first; alignment and the nothrow tag, where there are any, ride along. */
#define NEW_LIKE(op, family, name) \
LONG void *long_##name(size_t size, size_t a, size_t b, new_fn *real, struct caller caller) \
{ \
	struct call c; \
	void *p; \
 \
	if (!call_begin(&c, caller)) \
		return call_aside_alloc(&c, real(size, a, b)); \
	call_real(&c); \
	p = real(size, a, b); \
	call_done(&c); \
	if (p) \
		call_alloc(&c, OP_##op, p, size); \
	call_end(&c); \
	return p; \
} \
 \
EXPORT void *name(size_t size, size_t a, size_t b); \
EXPORT void *name(size_t size, size_t a, size_t b) \
{ \
	struct caller caller = CALLER(); \
	new_fn *real = (new_fn *)real_get(OP_##op, caller_pc(caller)); \
	struct channel_thread *t = fast_begin(caller); \
	void *p; \
 \
	if (unlikely(!t)) \
		return long_##name(size, a, b, real, caller); \
	p = real(size, a, b); \
	if (likely(p)) \
		fast_alloc(t, caller, OP_##op, OP_FAMILY_##family, p, size); \
	else \
		fast_end(t); \
	return p; \
}

#define DELETE_LIKE(op, family, name) \
LONG void long_##name(void *block, size_t a, size_t b, delete_fn *real, struct caller caller) \
{ \
	struct call c; \
 \
	if (fast_inner_free(caller, block)) { \
		real(block, a, b); \
		return; \
	} \
	if (unlikely(bootstrap_owns(block))) \
		return; \
	if (!block || !call_begin(&c, caller)) { \
		if (block) \
			call_aside_free(&c, OP_##op, block); \
		real(block, a, b); \
		return; \
	} \
	call_free(&c, OP_##op, block); \
	call_real(&c); \
	real(block, a, b); \
	call_end(&c); \
} \
 \
EXPORT void name(void *block, size_t a, size_t b); \
EXPORT void name(void *block, size_t a, size_t b) \
{ \
	struct caller caller = CALLER(); \
	delete_fn *real = (delete_fn *)real_get(OP_##op, caller_pc(caller)); \
	struct channel_thread *t = fast_free(caller, OP_##op, OP_FAMILY_##family, block); \
 \
	if (unlikely(!t)) { \
		long_##name(block, a, b, real, caller); \
		return; \
	} \
	real(block, a, b); \
	fast_end(t); \
}

NEW_LIKE(NEW, NEW, _Znwm)
NEW_LIKE(NEW_NT, NEW, _ZnwmRKSt9nothrow_t)
NEW_LIKE(NEW_AL, NEW, _ZnwmSt11align_val_t)
NEW_LIKE(NEW_AL_NT, NEW, _ZnwmSt11align_val_tRKSt9nothrow_t)
NEW_LIKE(NEWA, NEW_ARRAY, _Znam)
NEW_LIKE(NEWA_NT, NEW_ARRAY, _ZnamRKSt9nothrow_t)
NEW_LIKE(NEWA_AL, NEW_ARRAY, _ZnamSt11align_val_t)
NEW_LIKE(NEWA_AL_NT, NEW_ARRAY, _ZnamSt11align_val_tRKSt9nothrow_t)
DELETE_LIKE(DELETE, NEW, _ZdlPv)
DELETE_LIKE(DELETE_SZ, NEW, _ZdlPvm)
DELETE_LIKE(DELETE_NT, NEW, _ZdlPvRKSt9nothrow_t)
DELETE_LIKE(DELETE_AL, NEW, _ZdlPvSt11align_val_t)
DELETE_LIKE(DELETE_SZ_AL, NEW, _ZdlPvmSt11align_val_t)
DELETE_LIKE(DELETE_AL_NT, NEW, _ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE_LIKE(DELETEA, NEW_ARRAY, _ZdaPv)
DELETE_LIKE(DELETEA_SZ, NEW_ARRAY, _ZdaPvm)
DELETE_LIKE(DELETEA_NT, NEW_ARRAY, _ZdaPvRKSt9nothrow_t)
DELETE_LIKE(DELETEA_AL, NEW_ARRAY, _ZdaPvSt11align_val_t)
DELETE_LIKE(DELETEA_SZ_AL, NEW_ARRAY, _ZdaPvmSt11align_val_t)
DELETE_LIKE(DELETEA_AL_NT, NEW_ARRAY, _ZdaPvSt11align_val_tRKSt9nothrow_t)
