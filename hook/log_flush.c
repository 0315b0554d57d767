/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flush word, and merging threads by time. */
#include "hook/log.h"

#include "hook/clock.h"
#include "hook/core.h"
#include "hook/log_cursor.h"
#include "hook/log_out.h"
#include "hook/log_threads.h"
#include "hook/memory.h"

#define ROUNDS_MAX	8	/* flushes for others that found the word taken */
#define STACK_REACH	(8ul << 20)
#define OWNER_MARK	0x6d656d6c6f67666cul
#define STUCK_NS	1000000000u	/* in one call for so long: it is not waited for */

/* Who flushes: the thread pointer; where on its stack it does. */
static _Atomic uintptr_t owner;
static uintptr_t owner_mark;
static _Atomic uint32_t wanted;		/* somebody found the word taken */

/* Threads whose next event may be written, by cursor_key(), the smallest at the root. */
struct head {
	uint64_t key;
	uint32_t slot;
};

static struct head *heads;
static uint32_t head_count;

bool log_flush_init(void)
{
	heads = hook_reserve(hook.threads_max * sizeof *heads);
	return heads != NULL;
}

/* A flush below on this very stack: a handler interrupted it.  One that was left by longjmp has
 * lost its frame. */
static bool under_way(uintptr_t here)
{
	uintptr_t mark = owner_mark;

	if (here >= mark && here - mark < STACK_REACH)
		return false;
	if (mark - here >= STACK_REACH)
		return true;	/* a handler on a stack of its own */
	return *(const volatile uintptr_t *)mark == (mark ^ OWNER_MARK);
}

/* What an abandoned flush had in its hands.  A signal is delivered when the write has returned, so
 * how much it wrote is known for our own file only; what went elsewhere counts as written. */
static void recover(void)
{
	struct log *log = &log_state;

	if (log->writing)
		log_out_recover();
	else if (log->whole >= log->sent && log->whole < log->length)
		log->length = log->whole;
}

static bool take_word(uintptr_t here, enum log_how how)
{
	uintptr_t self = raw_thread_pointer(), nobody = 0;

	if (!atomic_compare_exchange_strong(&owner, &nobody, self) &&
	    (nobody != self || (how != LOG_LAST && under_way(here)))) {
		wanted = 1;
		return false;
	}
	if (nobody)
		recover();
	owner_mark = here;
	return true;
}

bool log_flushing_here(void)
{
	uintptr_t here;

	return owner == raw_thread_pointer() && under_way((uintptr_t)&here);
}

static void sift_down(uint32_t at)
{
	struct head moved = heads[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= head_count)
			break;
		if (child + 1 < head_count && heads[child + 1].key < heads[child].key)
			child++;
		if (moved.key <= heads[child].key)
			break;
		heads[at] = heads[child];
		at = child;
	}
	heads[at] = moved;
}

static bool next_head(uint32_t slot, uint64_t until, struct head *h)
{
	struct log_thread *l = &log_state.threads[slot];
	const struct channel_event *e = cursor_peek(l, slot);

	if (!e || e->stamp > until)
		return false;
	h->slot = slot;
	h->key = cursor_key(l);
	return true;
}

/* Below this stamp nothing more comes from the thread: the bound of the call it is in; or when it
 * was last seen outside one. */
static uint64_t bound_of(struct log_thread *l, const struct channel_thread *t, uint64_t now)
{
	uint64_t busy = atomic_load_explicit(&t->busy, memory_order_acquire);

	if (busy != l->busy) {
		l->busy = busy;
		l->busy_since = now;
	}
	if (!busy) {
		l->idle = now;
		return now;
	}
	if (now - l->busy_since > STUCK_NS)
		return now;
	return (busy > l->idle ? busy : l->idle) - 1;
}

/* The stamp up to which the order is complete.  It is taken before the rings are looked at, and
 * busy before them, so whatever is older has been published by then. */
static uint64_t complete_until(uint32_t count)
{
	uint64_t now = hook_stamp(), until = now;

	atomic_thread_fence(memory_order_seq_cst);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bound;

		if (hook.threads[i].state == THREAD_FREE)
			continue;
		bound = bound_of(&log_state.threads[i], &hook.threads[i], now);
		if (bound < until)
			until = bound;
	}
	return until;
}

static void gather(uint32_t count, uint64_t until)
{
	head_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (log_threads_ready(i) && next_head(i, until, &heads[head_count]))
			head_count++;
	}
	for (uint32_t i = head_count / 2; i-- > 0;)
		sift_down(i);
}

static bool merge(uint64_t until)
{
	while (head_count) {
		uint32_t slot = heads[0].slot;

		if (!log_threads_event(slot))
			return false;
		if (!next_head(slot, until, &heads[0]))
			heads[0] = heads[--head_count];
		if (head_count)
			sift_down(0);
	}
	return true;
}

static void flush_once(enum log_how how)
{
	uint32_t count = hook.region->thread_fresh;
	uint64_t until;

	if (!core_recording())
		return;
	if (count > hook.threads_max)
		count = hook.threads_max;
	log_state.flushes++;
	until = complete_until(count);
	if (how != LOG_SAFE)
		until = UINT64_MAX;
	gather(count, until);
	if (merge(until) && log_out_flush())
		log_threads_reclaim(count, how == LOG_LAST);
	cursor_wake();
}

bool log_flush(enum log_how how)
{
	volatile uintptr_t mark = (uintptr_t)&mark ^ OWNER_MARK;

	for (int i = 0; i < ROUNDS_MAX; i++) {
		if (!take_word((uintptr_t)&mark, how))
			return false;
		wanted = 0;
		flush_once(how);
		mark = 0;
		atomic_store_explicit(&owner, 0, memory_order_release);
		if (!wanted)
			break;
		mark = (uintptr_t)&mark ^ OWNER_MARK;
	}
	return true;
}
