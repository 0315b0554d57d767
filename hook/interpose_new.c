/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operator new and delete in all their forms, under their mangled names.  bad_alloc, new_handler
 * and the rest are the real operator's business: it throws through these frames, which have
 * unwind tables and nothing to clean up but the guard, and a stale guard is recognised. */
#include <stddef.h>

#include "hook/interpose.h"

typedef void *new_fn(size_t, size_t, size_t);

/* Size first; alignment and the nothrow tag, where there are any, ride along. */
#define NEW_LIKE(op, family, name) \
	ALLOCATES(op, family, name, new_fn, size, (size, a, b), size_t size, size_t a, size_t b)
#define DELETE_LIKE(op, family, name) \
	RELEASES(op, family, name)

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
