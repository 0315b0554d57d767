/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording one call. */
#include "hook/call.h"

#include "hook/clock.h"
#include "hook/ring.h"
#include "hook/thread.h"
#include "hook/unwind.h"

#define NESTED_MAX 65536u	/* stack that an allocator's own calls may take */

struct channel_thread *call_wake(void)
{
	struct channel_thread *t;

	if (!core_recording() && !core_wake())
		return NULL;
	t = hook_tls()->thread;
	return t ? t : thread_claim();
}

static bool on_own_stack(const struct channel_thread *t, uint64_t address)
{
	return address >= t->stack_low && address < t->stack_high;
}

/* Below the guarded frame, and that frame still in place: a nested call.  A guard that a throw
 * left on a coroutine's stack may name memory that is gone by now: there, only the distance tells. */
static bool nested(const struct channel_thread *t, const uintptr_t *frame)
{
	const uintptr_t *outer = (const uintptr_t *)t->guard;

	if (!outer || frame >= outer)
		return false;
	if (on_own_stack(t, (uintptr_t)outer))
		return outer[1] == t->guard_mark;
	return (uintptr_t)outer - (uintptr_t)frame < NESTED_MAX;
}

static bool same_stack(const struct channel_thread *t, const uintptr_t *frame)
{
	return on_own_stack(t, (uintptr_t)frame) == on_own_stack(t, t->guard);
}

/* A handler on another stack than the interrupted call's is inside that call too; but a guard of
 * a stack that is gone must not be read: only own stacks are looked at. */
bool call_guard_stale(struct channel_thread *t, const uintptr_t *frame)
{
	if (t->guard && same_stack(t, frame) && nested(t, frame))
		return false;
	if (t->guard && !same_stack(t, frame) && t->pending)
		return false;
	if (t->pending)
		ring_repair(t);
	return true;
}

static uint32_t stack_of(const struct call *c)
{
	struct channel_thread *t = c->thread;

	if (!hook.depth || !(t->filter & THREAD_STACKS))
		return STACK_NONE;
	return unwind_capture((unsigned)(t - hook.threads), t, c->frame[1],
			      (uintptr_t)(c->frame + 2), c->frame[0]);
}

static void count_bytes(struct channel_thread *t, uint64_t size)
{
	atomic_store_explicit(&t->bytes, t->bytes + size, memory_order_relaxed);
}

void call_alloc(struct call *c, enum op op, const void *block, size_t size)
{
	struct channel_thread *t = c->thread;
	uint64_t stamp;

	if (unlikely(!(t->filter & THREAD_TRACKED)))
		return;
	count_bytes(t, size);
	if (size < hook.min_size)
		return;
	stamp = hook_stamp();
	ring_push(t, stamp, (uintptr_t)block, size & EVENT_SIZE_MASK, stack_of(c), op);
}

void call_release(struct call *c, enum op op, const void *block, size_t size, uint64_t stamp)
{
	ring_push(c->thread, stamp, (uintptr_t)block, size & EVENT_SIZE_MASK,
		  hook.free_stacks ? stack_of(c) : STACK_NONE, op);
}

void call_free(struct call *c, enum op op, const void *block)
{
	call_release(c, op, block, 0, hook_stamp());
}

bool call_pages_begin(struct pages_call *p, uintptr_t *frame)
{
	struct channel_thread *t = hook_tls()->thread;

	p->inner = 0;
	if (unlikely(!core_recording() || !t)) {
		t = call_wake();
		if (!t)
			return false;
	}
	if (t->guard && !call_guard_stale(t, frame)) {
		p->inner = EVENT_INNER;
		p->call = (struct call){ t, frame };
		return true;
	}
	return call_begin(&p->call, frame);
}

void call_pages_end(struct pages_call *p)
{
	if (!p->inner)
		call_end(&p->call);
}

void call_map(struct pages_call *p, enum op op, const void *start, size_t size)
{
	struct channel_thread *t = p->call.thread;

	if (!(t->filter & THREAD_TRACKED))
		return;
	if (!p->inner)
		count_bytes(t, size);
	if (size < hook.min_size)
		return;
	ring_push(t, hook_stamp(), (uintptr_t)start, (size & EVENT_SIZE_MASK) | p->inner,
		  stack_of(&p->call), op);
}

void call_pages_going(const void *start, size_t size)
{
	if (hook.depth)
		unwind_forget_range((uintptr_t)start, (uintptr_t)start + size);
}

void call_unmap(struct pages_call *p, enum op op, const void *start, size_t size, uint64_t stamp)
{
	call_pages_going(start, size);	/* again: the launcher may have looked in between */
	call_release(&p->call, op, start, (size & EVENT_SIZE_MASK) | p->inner, stamp);
}
