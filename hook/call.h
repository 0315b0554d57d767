/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One interposed call: is it to be recorded, by which thread, from where.
 *
 *	struct call c;
 *
 *	if (!call_begin(&c, CALLER()))
 *		return real(...);
 *	... real call, call_alloc / call_free ...
 *	call_end(&c);
 *
 * The guard remembers the frame of the outer call.  A call below it on the same stack is part of
 * that outer call (new above malloc) and not reported again.  A throw or longjmp may leave the
 * guard behind; it is stale when the new call is not below it, or when the frame it names no
 * longer holds the return address it held. */
#ifndef HOOK_CALL_H
#define HOOK_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/core.h"
#include "hook/tls.h"
#include "trace/functions.h"

struct call {
	struct channel_thread *thread;
	uintptr_t *frame;	/* of the wrapper: saved frame pointer, return address */
};

/* The wrapper's own frame; wrappers are compiled with frame pointers. */
#define CALLER() ((uintptr_t *)__builtin_frame_address(0))
#define CALLER_PC(frame) ((frame)[1])

/* The slow sides: first call, fork child, new thread; a guard that is set. */
struct channel_thread *call_wake(void);
bool call_guard_stale(struct channel_thread *thread, const uintptr_t *frame);

/* True: record, and call_end must follow. */
static inline bool call_begin(struct call *c, uintptr_t *frame)
{
	struct channel_thread *t = hook_tls()->thread;

	if (unlikely(!core_recording() || !t)) {
		t = call_wake();
		if (!t)
			return false;
	}
	if (unlikely(t->guard | t->pending) && !call_guard_stale(t, frame))
		return false;
	atomic_store_explicit(&t->busy, t->last_stamp | 1, memory_order_relaxed);
	t->guard_mark = frame[1];
	t->guard = (uintptr_t)frame;
	c->thread = t;
	c->frame = frame;
	return true;
}

static inline void call_end(struct call *c)
{
	c->thread->guard = 0;
	atomic_store_explicit(&c->thread->busy, 0, memory_order_release);
}

/* Records; stamped now, stacks as the settings say. */
void call_alloc(struct call *c, enum op op, const void *block, size_t size);
void call_free(struct call *c, enum op op, const void *block);

/* Records with a stamp taken earlier: the releasing half of realloc, munmap. */
void call_release(struct call *c, enum op op, const void *block, size_t size, uint64_t stamp);

/* Page mappings nest differently: inside a heap call they are recorded, marked inner.
 * call_pages_begin returns false only when this thread does not record. */
struct pages_call {
	struct call call;
	uint64_t inner;		/* EVENT_INNER or 0 */
};
bool call_pages_begin(struct pages_call *p, uintptr_t *frame);
void call_pages_end(struct pages_call *p);

/* Before the real call takes pages away: they are not read any more. */
void call_pages_going(const void *start, size_t size);
void call_map(struct pages_call *p, enum op op, const void *start, size_t size);
void call_unmap(struct pages_call *p, enum op op, const void *start, size_t size, uint64_t stamp);

#endif
