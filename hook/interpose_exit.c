/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways out of a program that run no destructors: the hook's own log is written first.  Without
 * one (under the launcher, in a child) they only pass on.  exit() comes by log_destructor(). */
#include <stdint.h>

#include "hook/other.h"
#include "hook/raw.h"
#include "hook/standalone.h"

#define EXPORT __attribute__((visibility("default"), noinline))
#define PC() ((uintptr_t)__builtin_return_address(0))

typedef void exit_fn(int);
typedef void abort_fn(void);

static void __attribute__((noreturn)) leave(enum other which, int status, uintptr_t pc)
{
	exit_fn *real = (exit_fn *)other_real(which, pc);

	standalone_ending();
	if (real)
		real(status);
	for (;;)
		raw_call(RAW_NR_exit_group, status, 0, 0, 0, 0);
}

EXPORT void _exit(int status);
EXPORT void _exit(int status)
{
	leave(OTHER__exit, status, PC());
}

EXPORT void _Exit(int status);
EXPORT void _Exit(int status)
{
	leave(OTHER__Exit, status, PC());
}

EXPORT void quick_exit(int status);
EXPORT void quick_exit(int status)
{
	leave(OTHER_quick_exit, status, PC());
}

EXPORT void abort(void);
EXPORT void abort(void)
{
	abort_fn *real = (abort_fn *)other_real(OTHER_abort, PC());

	standalone_ending();
	if (real)
		real();
	for (;;)
		raw_call(RAW_NR_exit_group, 134, 0, 0, 0, 0);
}

/* Runs after those of all other objects, since this one is initialised first. */
static __attribute__((destructor)) void log_destructor(void)
{
	standalone_ending();
}
