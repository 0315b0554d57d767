/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread names and unloading. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "hook/core.h"
#include "hook/other.h"
#include "hook/standalone.h"
#include "hook/thread.h"
#include "hook/unwind.h"

#define EXPORT __attribute__((visibility("default"), noinline))
#define PC() ((uintptr_t)__builtin_return_address(0))

EXPORT int dlclose(void *handle);
EXPORT int dlclose(void *handle)
{
	int (*real)(void *) = (int (*)(void *))other_real(OTHER_dlclose, PC());
	int r = real ? real(handle) : -1;

	if (r == 0 && core_recording() && hook.depth)
		unwind_modules_changed();
	return r;
}

EXPORT int pthread_setname_np(uintptr_t thread, const char *name);
EXPORT int pthread_setname_np(uintptr_t thread, const char *name)
{
	int (*real)(uintptr_t, const char *) =
		(int (*)(uintptr_t, const char *))other_real(OTHER_pthread_setname_np, PC());
	int r = real ? real(thread, name) : 38 /* ENOSYS */;
	uint32_t tid = r == 0 && core_recording() ? thread_tid_of(thread) : 0;

	if (tid)
		thread_set_name(thread == raw_control_block() ? 0 : tid, name);
	return r;
}

EXPORT int prctl(int option, ...)
{
	int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long) =
		(int (*)(int, unsigned long, unsigned long, unsigned long, unsigned long))
		other_real(OTHER_prctl, PC());
	unsigned long a[4];
	va_list arguments;
	int r;

	va_start(arguments, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		standalone_sandbox();
	r = real ? real(option, a[0], a[1], a[2], a[3]) : -1;
	if (r == 0 && option == PR_SET_NAME)
		thread_set_name(0, (const char *)a[0]);
	return r;
}
