/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocation that cannot fail: on exhaustion one line on stderr, and the program ends.
 * Host programs only; nothing of it is linked into a target. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* How it ends then: with this status; 0, as in the beginning: by abort(). */
void alloc_exit_status(int status);

/* Each result is the caller's and ends with free().  A size of 0 gives a unique pointer. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *block, size_t size) __attribute__((returns_nonnull));
void *xreallocarray(void *block, size_t count, size_t size) __attribute__((returns_nonnull));
void *xmemdup(const void *data, size_t size) __attribute__((malloc, returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t max) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *xvasprintf(const char *format, va_list args)
	__attribute__((format(printf, 1, 0), returns_nonnull));

#endif
