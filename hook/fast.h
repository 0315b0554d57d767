/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The usual call, short: this thread records, no call is under way on it, and nothing about this
 * session asks for a closer look (hook.special).  All else takes the long way of call.h.
 *
 *	struct channel_thread *t = fast_begin(caller, true);	NULL: the long way
 *	... real call ...
 *	fast_alloc(t, caller, op, family, block, size);
 *
 *	struct channel_thread *t = fast_free(caller, op, family, block);
 *	... real call ...
 *	fast_end(t);
 *
 * Why: most programs wait for memory while they allocate.  What the processor can look ahead hides
 * that, and each instruction of ours takes its place. */
#ifndef HOOK_FAST_H
#define HOOK_FAST_H

#include <stddef.h>
#include <stdint.h>

#include "hook/bootstrap.h"
#include "hook/call.h"
#include "hook/face.h"
#include "hook/ring.h"
#include "hook/shadow.h"

/* In every wrapper: op and family are constants there, and the compiler does not waver. */
#define FAST __attribute__((always_inline))

/* makes (a constant): the call makes a block.  A pause does not concern one that ends a block. */
FAST static inline struct channel_thread *fast_begin(struct caller caller, bool makes)
{
	struct channel_thread *t = hook_tls_thread(hook_life.now);

	if (unlikely(!t) || unlikely(t->guard | t->pending | hook.special | (makes ? core_paused() : 0)))
		return NULL;
	atomic_store_explicit(&t->busy, t->last_stamp | 1, memory_order_relaxed);
	t->guard_mark = caller_mark(caller);
	t->guard = caller_place(caller) | GUARD_HEAP;
	return t;
}

/* This thread, if the call is part of another one of it, on its own stack: malloc below new; else NULL. */
static inline struct channel_thread *fast_inner(struct caller caller)
{
	struct channel_thread *t = hook_tls_thread(hook_life.now);
	uintptr_t place = caller_place(caller), outer;

	if (unlikely(!t) || unlikely(t->pending) || (t->guard & (GUARD_HEAP | GUARD_HANDLER)) != GUARD_HEAP)
		return NULL;
	outer = GUARD_PLACE(t->guard);
	return place < outer && place >= t->stack_low && outer < t->stack_high &&
		caller_runs(outer, t->guard_mark, caller, t->stack_low, t->stack_high) ? t : NULL;
}

/* A release below another one that has told of the block already. */
static inline bool fast_inner_free(struct caller caller, const void *block)
{
	struct shadow_place known = shadow_known((uintptr_t)block);

	return known.byte && (*known.byte & (SHADOW_FREED | SHADOW_HALF)) == (SHADOW_FREED | known.half) &&
		fast_inner(caller);
}

/* False in the child that a signal handler made during this call, and after a session that it outlived. */
static inline bool fast_mine(const struct channel_thread *t)
{
	return likely(hook_tls_is(t, hook_life.now));
}

/* The block of an inner call, known to be no one's of its own. */
static inline void fast_inner_alloc(const struct channel_thread *t, const void *block)
{
	if (likely(block) && (FACE_FROM_START || fast_mine(t)))
		shadow_put(block, SHADOW_LIVE | SHADOW_ASIDE | OP_FAMILY_MALLOC);
}

static inline void fast_end(struct channel_thread *t)
{
	if (fast_mine(t))
		call_leave(t);
}

/* False: not this thread's any more. */
static inline FAST bool fast_record(struct channel_thread *t, struct caller caller, enum op op,
				    enum op_family family, const void *block, size_t size)
{
	uint32_t stack = STACK_NONE;
	uint64_t stamp;

	raw_bump_local(&t->bytes, size);
	shadow_put(block, SHADOW_LIVE | (unsigned)family);
	stamp = raw_ticks();
	if (hook.depth)
		stack = call_stack(t, caller);
	return ring_put(t, stamp, (uintptr_t)block, size & EVENT_SIZE_MASK, stack, op);
}

static inline FAST void fast_alloc(struct channel_thread *t, struct caller caller, enum op op,
				   enum op_family family, const void *block, size_t size)
{
	if (!fast_mine(t))
		return;
	t->guard = caller_place(caller);
	if (likely(fast_record(t, caller, op, family, block, size)))
		call_leave(t);
}

/* Begins a call that ends this block; NULL: nothing was done.  Without a shadow every block is taken
 * for one of the trace. */
static inline struct channel_thread *fast_retire(struct caller caller, enum op_family family,
						 const void *block)
{
	struct shadow_place known = shadow_known((uintptr_t)block);
	struct channel_thread *t;

	if (likely(known.byte)) {
		if (unlikely(*known.byte != (SHADOW_LIVE | (unsigned)family | known.half)))
			return NULL;
	} else if (shadow.top || !block || bootstrap_owns(block)) {
		return NULL;
	}
	t = fast_begin(caller, false);
	if (likely(t && known.byte))
		*known.byte = (uint8_t)(SHADOW_FREED | family | known.half);
	return t;
}

/* False: not this thread's any more. */
static inline bool fast_release(struct channel_thread *t, struct caller caller, enum op op,
				const void *block, uint64_t stamp)
{
	uint32_t stack = unlikely(hook.free_stacks) ? call_stack(t, caller) : STACK_NONE;

	return ring_put(t, stamp, (uintptr_t)block, 0, stack, op);
}

/* Before the real call.  NULL: nothing was done, take the long way. */
static inline struct channel_thread *fast_free(struct caller caller, enum op op,
					       enum op_family family, const void *block)
{
	struct channel_thread *t = fast_retire(caller, family, block);

	if (unlikely(!t))
		return NULL;
	t->guard = caller_place(caller);
	if (likely(fast_release(t, caller, op, block, raw_ticks())))
		t->guard = caller_place(caller) | GUARD_HEAP;
	return t;
}

/* The old block may stay if the real call fails, so its end is told behind it, as of `stamp`. */
static inline void fast_resized(struct channel_thread *t, struct caller caller, enum op op, void *block,
				uint64_t stamp, void *now, size_t size)
{
	if (!fast_mine(t))
		return;
	t->guard = caller_place(caller);
	if (unlikely(!now && size)) {
		shadow_put(block, SHADOW_LIVE | OP_FAMILY_MALLOC);
		call_leave(t);
		return;
	}
	if (unlikely(!fast_release(t, caller, OP_REALLOC_FREE, block, stamp)))
		return;
	if (unlikely(now && core_paused()))
		call_paused(t, op, now, size);
	else if (likely(now) && unlikely(!fast_record(t, caller, op, OP_FAMILY_MALLOC, now, size)))
		return;
	call_leave(t);
}

#endif
