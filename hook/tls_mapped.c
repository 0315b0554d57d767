/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding, taking and taking over entries of the table of threads. */
#include "hook/tls.h"

#include "hook/core.h"
#include "hook/memory.h"
#include "hook/thread.h"
#include "trace/channel.h"

#define ENTRIES		(1u << TLS_MAPPED_BITS)
#define PROBES_MAX	64u
#define BUSY		1ul	/* in `pointer`: changes hands */

_Alignas(RAW_PAGE_MAX) struct tls_entry tls_entries[ENTRIES];
struct hook_tls tls_nowhere;
int32_t tls_tid_offset;

static uint32_t tid_at(uintptr_t pointer)
{
	if (!tls_tid_offset)
		return (uint32_t)raw_call(RAW_NR_gettid, 0, 0, 0, 0, 0);
	return *(const volatile uint32_t *)(pointer + (uintptr_t)(intptr_t)tls_tid_offset);
}

/* In this session: the thread that had the entry is gone. */
static void leave(const struct tls_entry *e)
{
	uintptr_t word = e->words.owned ^ hook_life.now;
	struct channel_thread *t = (struct channel_thread *)word;

	if (word && !(word & HOOK_LIFE_MAX) && t->tid == e->tid)
		thread_left((uint32_t)(t - hook.threads));
}

/* False: somebody else was faster. */
static bool take(struct tls_entry *e, uintptr_t from, uintptr_t pointer, uint32_t tid)
{
	if (!atomic_compare_exchange_strong(&e->pointer, &from, pointer | BUSY))
		return false;
	leave(e);
	e->words = (struct hook_tls){ 0, 0 };
	e->tid = tid;
	atomic_store(&e->pointer, pointer);
	return true;
}

/* The slot was reclaimed: the launcher saw the thread go. */
static bool is_gone(const struct tls_entry *e)
{
	uintptr_t slot = e->words.owned & ~(uintptr_t)HOOK_LIFE_MAX;

	return slot && ((const struct channel_thread *)slot)->tid != e->tid;
}

static struct tls_entry *entry_at(uintptr_t pointer, uint32_t probe)
{
	return &tls_entries[(tls_mapped_first(pointer) - tls_entries + probe) % ENTRIES];
}

static struct hook_tls *take_over(uintptr_t pointer, uint32_t tid)
{
	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		struct tls_entry *e = entry_at(pointer, i);
		uintptr_t now = e->pointer;

		if (!(now & BUSY) && is_gone(e) && take(e, now, pointer, tid))
			return &e->words;
	}
	return &tls_nowhere;
}

/* A busy entry of this very pointer is one that a signal handler interrupts. */
struct hook_tls *tls_mapped_find(uintptr_t pointer)
{
	uint32_t tid = tid_at(pointer);

	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		struct tls_entry *e = entry_at(pointer, i);
		uintptr_t now = e->pointer;

		if (now == (pointer | BUSY))
			return &tls_nowhere;
		if (now == pointer && e->tid == tid)
			return &e->words;
		if ((!now || now == pointer) && take(e, now, pointer, tid))
			return &e->words;
	}
	return take_over(pointer, tid);
}

void tls_mapped_clear(void)
{
	hook_clear(tls_entries, sizeof tls_entries);
}
