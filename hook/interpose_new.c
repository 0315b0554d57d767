/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operator new and delete in all their forms, under their mangled names.  bad_alloc, new_handler
 * and the rest are the real operator's business: it throws through these frames, which have
 * unwind tables and nothing to clean up but the guard, and a stale guard is recognised. */
#include <stddef.h>

#include "hook/bootstrap.h"
#include "hook/call.h"
#include "hook/real.h"

#define EXPORT __attribute__((visibility("default"), noinline))

typedef void *new_fn(size_t, size_t, size_t);
typedef void delete_fn(void *, size_t, size_t);

/* Size first; alignment and the nothrow tag, where there are any, ride along. */
#define NEW_LIKE(op, name) \
EXPORT void *name(size_t size, size_t a, size_t b); \
EXPORT void *name(size_t size, size_t a, size_t b) \
{ \
	new_fn *real = (new_fn *)real_get(OP_##op, caller_pc(CALLER())); \
	struct call c; \
	void *p; \
 \
	if (!call_begin(&c, CALLER())) \
		return call_aside_alloc(&c, real(size, a, b)); \
	call_real(&c); \
	p = real(size, a, b); \
	call_done(&c); \
	if (p) \
		call_alloc(&c, OP_##op, p, size); \
	call_end(&c); \
	return p; \
}

#define DELETE_LIKE(op, name) \
EXPORT void name(void *block, size_t a, size_t b); \
EXPORT void name(void *block, size_t a, size_t b) \
{ \
	delete_fn *real = (delete_fn *)real_get(OP_##op, caller_pc(CALLER())); \
	struct call c; \
 \
	if (unlikely(bootstrap_owns(block))) \
		return; \
	if (!block || !call_begin(&c, CALLER())) { \
		if (block) \
			call_aside_free(&c, OP_##op, block); \
		real(block, a, b); \
		return; \
	} \
	call_free(&c, OP_##op, block); \
	call_real(&c); \
	real(block, a, b); \
	call_end(&c); \
}

NEW_LIKE(NEW, _Znwm)
NEW_LIKE(NEW_NT, _ZnwmRKSt9nothrow_t)
NEW_LIKE(NEW_AL, _ZnwmSt11align_val_t)
NEW_LIKE(NEW_AL_NT, _ZnwmSt11align_val_tRKSt9nothrow_t)
NEW_LIKE(NEWA, _Znam)
NEW_LIKE(NEWA_NT, _ZnamRKSt9nothrow_t)
NEW_LIKE(NEWA_AL, _ZnamSt11align_val_t)
NEW_LIKE(NEWA_AL_NT, _ZnamSt11align_val_tRKSt9nothrow_t)
DELETE_LIKE(DELETE, _ZdlPv)
DELETE_LIKE(DELETE_SZ, _ZdlPvm)
DELETE_LIKE(DELETE_NT, _ZdlPvRKSt9nothrow_t)
DELETE_LIKE(DELETE_AL, _ZdlPvSt11align_val_t)
DELETE_LIKE(DELETE_SZ_AL, _ZdlPvmSt11align_val_t)
DELETE_LIKE(DELETE_AL_NT, _ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE_LIKE(DELETEA, _ZdaPv)
DELETE_LIKE(DELETEA_SZ, _ZdaPvm)
DELETE_LIKE(DELETEA_NT, _ZdaPvRKSt9nothrow_t)
DELETE_LIKE(DELETEA_AL, _ZdaPvSt11align_val_t)
DELETE_LIKE(DELETEA_SZ_AL, _ZdaPvmSt11align_val_t)
DELETE_LIKE(DELETEA_AL_NT, _ZdaPvSt11align_val_tRKSt9nothrow_t)
