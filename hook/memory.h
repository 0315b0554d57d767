/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook's own memory primitives: it has no libc below it. */
#ifndef HOOK_MEMORY_H
#define HOOK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The compiler may call these by itself; hidden, so nobody else binds to them. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

size_t hook_strlen(const char *s);
int hook_streq(const char *a, const char *b);

/* Copy at most size - 1 bytes of s and terminate. Returns to. */
char *hook_copy_string(char *to, const char *s, size_t size);

/* size bytes of private, zero, untouched memory that costs only the pages that get used; for the
 * whole life of the process.  NULL when the address space is limited.  Start-up only: it makes a
 * system call. */
void *hook_reserve(size_t size);

/* The program ran before.  From now on what is reserved can be told from its memory in /proc/PID/maps,
 * "[anon:memtrack-reserve]" or behind a page of "/memfd:memtrack-reserve", and stays out of what it locks (mlockall). */
void hook_comes_late(void);

/* What was reserved there reads as zero again. */
void hook_clear(void *reserved, size_t size);

/* Fresh, zero, anonymous memory in place of these pages. */
bool hook_anonymous(void *pages, size_t size);

/* Is all of this among what was reserved there? */
bool hook_owns(uintptr_t start, uintptr_t end);

/* Writes where all that was reserved lies into the region's table. */
struct channel_range;
void hook_tell_own(struct channel_range *ranges);

/* From now on these pages read as zero in every fork child (MADV_WIPEONFORK).  False: the kernel
 * cannot do that. */
bool hook_wipe_on_fork(void *pages, size_t size);

#endif
