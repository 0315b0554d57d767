/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Per-thread state without thread-local storage: a table by thread pointer.
 *
 * The C library uses control blocks again, so an entry also says whose it is, by the tid in that block.
 * Only its own thread ever writes an entry, but for one whose thread is gone. */
#ifndef HOOK_TLS_MAPPED_H
#define HOOK_TLS_MAPPED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hook/raw.h"
#include "hook/tls_words.h"

#define TLS_MAPPED_BITS	14u

struct tls_entry {
	struct hook_tls words;
	_Atomic uintptr_t pointer;	/* 0: free */
	_Atomic uint32_t tid;
};

extern struct tls_entry tls_entries[1u << TLS_MAPPED_BITS] __attribute__((visibility("hidden")));
extern struct hook_tls tls_nowhere __attribute__((visibility("hidden")));	/* of all who find no place */
extern int32_t tls_tid_offset __attribute__((visibility("hidden")));	/* 0: the kernel is asked */

struct hook_tls *tls_mapped_find(uintptr_t pointer);

/* Nobody has anything any more. */
void tls_mapped_clear(void);

static inline struct tls_entry *tls_mapped_first(uintptr_t pointer)
{
	return &tls_entries[pointer * 0x9e3779b97f4a7c15ull >> (64 - TLS_MAPPED_BITS)];
}

static inline struct hook_tls *hook_tls(void)
{
	uintptr_t pointer = raw_thread_pointer();
	struct tls_entry *e = tls_mapped_first(pointer);

	if (likely(e->pointer == pointer && tls_tid_offset &&
		   e->tid == *(const volatile uint32_t *)(pointer + (uintptr_t)(intptr_t)tls_tid_offset)))
		return &e->words;
	return tls_mapped_find(pointer);
}

static inline bool hook_tls_mine(void)
{
	return hook_tls() != &tls_nowhere;
}

static inline void hook_tls_place(int32_t tid_offset)
{
	tls_tid_offset = tid_offset;
}

#endif
