/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the target program did, told on stdout so that a test can compare the trace with it.
 *
 *	did TID OP SIZE PTR		an event the trace must show; SIZE is - for a release
 *	frames PTR FUNCTION;...		the functions of an allocation's stack, innermost first
 *	thread TID NAME			a thread and its name
 *	say KEY VALUE			anything else
 *
 * Nothing here allocates: lines lie in a static table until record_print().  Any thread may call. */
#ifndef TESTS_TARGET_RECORD_H
#define TESTS_TARGET_RECORD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of the two allocations (freed at once) that stand around a scenario's own events. */
#define RECORD_MARK_BEGIN	48611
#define RECORD_MARK_END		48619

void record_alloc(const char *op, const void *ptr, size_t size);
void record_release(const char *op, const void *ptr);
void record_release_range(const char *op, const void *ptr, size_t size);

/* A successful realloc of old (null: none): the release, then the allocation.  old is only the
 * former address, hence no pointer. */
void record_realloc(uintptr_t old, const void *ptr, size_t size);

void record_frames(const void *ptr, const char *frames);
void record_thread(const char *name);
void record_say(const char *key, long value);

/* Writes all of it to stdout. */
void record_print(void);

/* The compiler must believe that p is used and may be anything. */
#define KEEP(p) __asm__ volatile("" : "+r"(p) : : "memory")

/* Behind a call: keeps it from becoming a tail call, so that its caller has a frame. */
#define NOT_A_TAIL_CALL() __asm__ volatile("" : : : "memory")

/* A function with one copy, of its own name. */
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

#ifdef __cplusplus
}
#endif

#endif
