/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the soaking heap counts; for libsoakheap.so itself. */
#ifndef TESTS_SOAK_SHADOW_COUNT_H
#define TESTS_SOAK_SHADOW_COUNT_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/soak/shadow.h"

struct shadow_file *shadow_open(void);

/* An allocation or mapping that succeeded; a release that is going to. */
void shadow_begins(enum op op, uint64_t bytes);
void shadow_ends(enum op op, uint64_t bytes, bool untold);
/* The two halves of a realloc or mremap; SIZE_MAX: there is no such half. */
void shadow_moves(enum op release, enum op op, uint64_t old, uint64_t now);

/* The next allocation, or release, is part of a call that is reported already. */
void shadow_silence(bool release);
bool shadow_silenced(void);
void shadow_lives(int64_t blocks, int64_t bytes);

/* The system calls themselves. */
void *shadow_map(void *at, size_t size, int protection, int flags, int fd, off_t offset);
long shadow_call(long number, long a, long b, long c, long d, long e);

/* The heap below the functions: NULL when it has nothing (left) of that size. */
void *heap_take(enum op op, size_t size, size_t alignment);
void heap_give(enum op op, void *block);
void *heap_resize(enum op op, void *block, size_t size);
size_t heap_size(void *block);
void heap_forked(void);

#endif
