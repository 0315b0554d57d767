/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one accessor of per-thread state.  Preload and dlopen form: 16 bytes of initial-exec TLS, so
 * that it never calls __tls_get_addr and fits into the loader's surplus.  Mapped form (HOOK_MAPPED):
 * there is no loader, so a table of the thread pointers, hook/tls_mapped.h.
 *
 * A fork child inherits the word of the thread that forked, and may start threads that call before
 * that one does: so the word says in which life of the process (core.h) it was made.  Slots are
 * aligned to 64 bytes, the life stands below. */
#ifndef HOOK_TLS_H
#define HOOK_TLS_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/tls_words.h"

struct channel_thread;

#define HOOK_LIFE_MAX 63u

#ifdef HOOK_MAPPED
#include "hook/tls_mapped.h"
#else
extern __thread struct hook_tls hook_tls_data
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct hook_tls *hook_tls(void)
{
	return &hook_tls_data;
}

/* Is it this thread's own, so that it may be written? */
static inline bool hook_tls_mine(void)
{
	return true;
}

/* Where the C library keeps a thread's tid, from its thread pointer. */
static inline void hook_tls_place(int32_t tid_offset)
{
	(void)tid_offset;
}
#endif

/* This thread's slot, NULL if it has none in this life; life 0: nobody has. */
static inline struct channel_thread *hook_tls_thread(uint32_t life)
{
	uintptr_t word = hook_tls()->owned ^ life;

	return (word & HOOK_LIFE_MAX) == 0 ? (struct channel_thread *)word : (struct channel_thread *)0;
}

/* False in a fork child that a signal handler made in the midst of a call of thread's: that thread,
 * and all that is counted by its slot, are the parent's. */
static inline bool hook_tls_is(const struct channel_thread *thread, uint32_t life)
{
	return (hook_tls()->owned ^ life) == (uintptr_t)thread;
}

/* Takes the slot for this thread.  False: what it has is not what it was before, a signal handler of its has
 * taken one. */
static inline bool hook_tls_take(uintptr_t before, struct channel_thread *thread, uint32_t life)
{
	return __atomic_compare_exchange_n(&hook_tls()->owned, &before, (uintptr_t)thread | life, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
