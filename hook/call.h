/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One interposed call: is it to be recorded, by which thread, from where.
 *
 *	struct call c;
 *
 *	if (!call_begin(&c, CALLER()))
 *		return call_aside_alloc(real(...));
 *	call_real(&c);
 *	... real call ...
 *	call_done(&c);
 *	call_alloc(...);
 *	call_end(&c);
 *
 * The guard remembers the place of the outer call, and whether its real function runs.  A call
 * below it on the same stack is then part of that outer call (new above malloc) and not reported
 * again: only the shadow learns of it (call_aside_*).  A throw or longjmp may leave the
 * guard behind; it is stale when the new call is not below it, or when the call it names no
 * longer runs (caller.h). */
#ifndef HOOK_CALL_H
#define HOOK_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/caller.h"
#include "hook/core.h"
#include "hook/shadow.h"
#include "hook/standalone.h"
#include "hook/tls.h"
#include "trace/functions.h"

struct call {
	struct channel_thread *thread;	/* NULL: this thread records nothing now */
	struct caller caller;
	uint64_t outer, outer_mark;	/* the guard of a call that this one, a handler's, interrupts */
	uint32_t life;			/* without a thread: in which it began */
};

/* Low bits of the guard, whose place is aligned: what is running.  A heap call that finds neither
 * comes from a signal handler that interrupted the hook itself: a call of its own. */
#define GUARD_HEAP	1u	/* the real function: heap calls below are part of it */
#define GUARD_PAGES	2u	/* the real mmap or the like: page calls below are part of it */
#define GUARD_HANDLER	4u	/* operator new found no memory and asks the new_handler: its calls are its own */
#define GUARD_PLACE(guard)	((guard) & ~7ull)

/* The slow sides: first call, fork child, new thread; a guard that is set. */
struct channel_thread *call_wake(void);
bool call_guard_stale(struct channel_thread *thread, struct caller caller);
bool call_enter(struct call *c);	/* a guard is set: may this call record? */

/* True: record, and call_end must follow.  False: c->thread is set if this thread records. */
static inline bool call_begin(struct call *c, struct caller caller)
{
	struct channel_thread *t = hook_tls_thread(hook_life.now);

	if (unlikely(!t)) {
		t = call_wake();
		if (!t) {
			c->thread = NULL;
			c->life = hook_life.now;
			return false;
		}
	}
	c->thread = t;
	c->caller = caller;
	c->outer = 0;
	if (unlikely(t->guard | t->pending) && !call_enter(c))
		return false;
	if (likely(!c->outer))
		atomic_store_explicit(&t->busy, t->last_stamp | 1, memory_order_relaxed);
	t->guard_mark = caller_mark(caller);
	t->guard = caller_place(caller);
	return true;
}

/* This thread records nothing, wherever it is written: a session ended during the call, or a signal handler
 * forked then, and this is the child. */
extern struct channel_thread call_nobody __attribute__((visibility("hidden")));

static inline void call_guard(struct call *c, unsigned running)
{
	if (unlikely(!hook_tls_is(c->thread, hook_life.now)))
		c->thread = &call_nobody;
	c->thread->guard = caller_place(c->caller) | running;
}

/* Around the real function. */
static inline void call_real(struct call *c)
{
	call_guard(c, GUARD_HEAP);
}

static inline void call_done(struct call *c)
{
	call_guard(c, 0);
}

/* This thread is in no call any more. */
static inline void call_leave(struct channel_thread *t)
{
	t->guard = 0;
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

/* Stamps of the interrupted call may lie before those of the handler's, so busy stays its. */
static inline void call_end(struct call *c)
{
	struct channel_thread *t = c->thread;

	if (unlikely(!hook_tls_is(t, hook_life.now)))
		return;
	if (unlikely(c->outer)) {
		t->guard_mark = c->outer_mark;
		t->guard = c->outer;
		return;
	}
	if (unlikely(hook.standalone)) {
		standalone_call_end(t);
		return;
	}
	call_leave(t);
}

/* Called by an allocator's own code (attach_request.allocators)? */
bool call_by_allocator(struct caller caller);

/* The block was made by a heap call that came by here, so its end will, too.  Asked only of functions
 * that call malloc: all is ours unless the program has a free of its own. */
static inline bool call_owns(const void *block)
{
	return likely(!hook.own_free) || shadow_is_live(block);
}

/* The stack of a call of this thread; depth is not 0. */
uint32_t call_stack(struct channel_thread *thread, struct caller caller);

/* Records; stamped now, stacks as the settings say. */
void call_alloc(struct call *c, enum op op, const void *block, size_t size);
void call_free(struct call *c, enum op op, const void *block);

/* A block that a call of this thread made while the recording is paused. */
void call_paused(struct channel_thread *thread, enum op op, const void *block, size_t size);

/* A realloc, before and after the real call.  op is the function's. */
struct resize {
	void *block;		/* NULL: it only allocates */
	uint64_t stamp;
	unsigned known;		/* what the shadow knew about block */
};
void call_resize_begin(struct call *c, struct resize *r, enum op op, void *block);
void call_resize_end(struct call *c, const struct resize *r, enum op op, void *now, size_t size);

/* Calls that are not recorded because they are part of another, or this thread cannot: what they
 * do to the shadow.  call_aside_free before the real call; a block that the trace knows, freed in
 * the course of another call (a new_handler), is recorded after all. */
void *call_aside_alloc(const struct call *c, void *block);
void call_aside_free(struct call *c, enum op op, const void *block);
unsigned call_aside_retire(struct call *c, void *block);
void call_aside_resized(struct call *c, void *block, unsigned known, void *now, size_t size);

/* Page mappings nest differently: inside a heap call they are recorded, marked inner.
 * call_pages_begin returns false only when this thread does not record. */
struct pages_call {
	struct call call;
	uint64_t inner;		/* EVENT_INNER or 0 */
};
bool call_pages_begin(struct pages_call *p, struct caller caller);
void call_pages_end(struct pages_call *p);

/* Before the real call takes pages away: they are not read any more. */
void call_pages_going(const void *start, size_t size);

/* False: the recording leaves it out, though not what was there before. */
bool call_map(struct pages_call *p, enum op op, const void *start, size_t size);
void call_unmap(struct pages_call *p, enum op op, const void *start, size_t size, uint64_t stamp);

#endif
