/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Import slots that pass the hook by, rewritten to lead through it:
 *
 *  - of a library opened with RTLD_DEEPBIND, which binds malloc and the others straight to libc;
 *  - of whoever calls mallocx, tc_malloc, mi_malloc (hook/own_functions.h), names that the hook
 *    does not export.
 *
 * A slot is rewritten only when the function in it is the one that our wrapper would call (or,
 * if it is not bound yet, would be): so behaviour cannot change, and a library that brings its
 * own malloc keeps it.
 *
 * When: start-up objects at the hook's own constructor, which runs first of all; others as their
 * initialisation begins.  Every object that gcc or clang links begins it with a call of
 * __gmon_start__ if there is one (crti.o, for profiled programs): the hook has one.  The loader
 * holds its own lock then, the object is bound, and none of its code has run.  dlopen is not
 * wrapped, and no event pays for this. */
#ifndef HOOK_GOT_H
#define HOOK_GOT_H

/* All start-up objects; costs a few look-ups when no allocator with functions of its own is there. */
void got_start(void);

#endif
