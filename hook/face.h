/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a wrapper looks like from outside.  Each file of wrappers is compiled twice:
 *
 *   for the program's linker	exported functions under the real names; the real function is looked up
 *   -DHOOK_ENTRIES		entries for patched functions (hook/entry.h); the stub brings the real function
 *
 *	FACE(type, name, parameters...)		FACE_VOID(name, ...)
 *	{
 *		CALLED;				declares `caller`
 *		... REAL(op, type)(arguments) ... other(caller, REAL_PASS argument)
 *	}
 *	static void other(struct caller caller, REAL_TAKE int parameter)
 */
#ifndef HOOK_FACE_H
#define HOOK_FACE_H

#include "hook/caller.h"

#ifdef HOOK_ENTRIES
#include "hook/entry.h"

#define FACE_FROM_START 0	/* the process ran before */
#define FACE ENTRY
#define FACE_VOID ENTRY_VOID
#define CALLED (void)caller
#define REAL(op, type) ((type *)real)
#define REAL_TAKE void *real,
#define REAL_PASS real,

#else
#include "hook/real.h"

#define FACE_FROM_START 1
#define EXPORT __attribute__((visibility("default"), noinline))
#define FACE(type, name, ...) \
EXPORT type name(__VA_ARGS__); \
EXPORT type name(__VA_ARGS__)
#define FACE_VOID(name, ...) FACE(void, name, __VA_ARGS__)
#define CALLED struct caller caller = CALLER()
#define REAL(op, type) ((type *)real_get(OP_##op, caller_pc(caller)))
#define REAL_TAKE
#define REAL_PASS
#endif

#endif
