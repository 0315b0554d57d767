/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread names, unloading, locked memory. */
#include <linux/prctl.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/core.h"
#include "hook/face.h"
#include "hook/locked.h"
#include "hook/other.h"
#include "hook/standalone.h"
#include "hook/thread.h"
#include "hook/unwind.h"

#ifdef HOOK_ENTRIES
#define OTHER(symbol) real
#else
#define OTHER(symbol) other_real(OTHER_##symbol, caller_pc(caller))
#endif

typedef int dlclose_fn(void *);
typedef int setname_fn(uintptr_t, const char *);
typedef int mlockall_fn(int);
typedef int prctl_fn(int, unsigned long, unsigned long, unsigned long, unsigned long);

FACE(int, dlclose, void *handle)
{
	CALLED;
	dlclose_fn *f = OTHER(dlclose);
	int r = f ? f(handle) : -1;

	if (r == 0 && core_recording() && hook.depth)
		unwind_modules_changed();
	return r;
}

FACE(int, pthread_setname_np, uintptr_t thread, const char *name)
{
	CALLED;
	setname_fn *f = OTHER(pthread_setname_np);
	int r = f ? f(thread, name) : 38 /* ENOSYS */;
	uint32_t tid = r == 0 && core_recording() ? thread_tid_of(thread) : 0;

	if (tid)
		thread_set_name(thread == raw_control_block() ? 0 : tid, name);
	return r;
}

/* Variadic in the headers; on every supported ABI the callee finds the words in the same places. */
FACE(int, prctl, int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	CALLED;
	prctl_fn *f = OTHER(prctl);
	int r;

	if (FACE_FROM_START && (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP))
		standalone_sandbox();
	r = f ? f(option, a, b, c, d) : -1;
	if (r == 0 && option == PR_SET_NAME)
		thread_set_name(0, (const char *)a);
	return r;
}

#define LOCK_CURRENT 1	/* MCL_CURRENT */
#define LOCK_FUTURE 2	/* MCL_FUTURE */

/* The future ones first, so that no mapping made meanwhile is missed. */
FACE(int, mlockall, int flags)
{
	CALLED;
	mlockall_fn *f = OTHER(mlockall);

	if (!f)
		return -1;
	if (!(flags & LOCK_CURRENT) || !hook.region)
		return f(flags);
	if (flags & LOCK_FUTURE && f(flags & ~LOCK_CURRENT) != 0)
		return -1;
	return locked_current(flags) ? 0 : f(flags);
}
