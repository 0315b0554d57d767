/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording one call. */
#include "hook/call.h"

#include "hook/attach.h"
#include "hook/clock.h"
#include "hook/real.h"
#include "hook/ring.h"
#include "hook/sample.h"
#include "hook/shadow.h"
#include "hook/thread.h"
#include "hook/unwind.h"

#define NESTED_MAX 65536u	/* stack that an allocator's own calls may take */

struct channel_thread call_nobody;

struct channel_thread *call_wake(void)
{
	struct channel_thread *t;

	if (!core_recording() && !core_wake())
		return NULL;
	t = hook_tls_thread(hook_life.now);
	return t ? t : thread_claim();
}

static bool on_own_stack(const struct channel_thread *t, uint64_t address)
{
	return address >= t->stack_low && address < t->stack_high;
}

static bool outer_runs(const struct channel_thread *t, struct caller inner)
{
	return caller_runs(GUARD_PLACE(t->guard), t->guard_mark, inner, t->stack_low, t->stack_high);
}

/* Below the guarded call, and that call still under way: a nested call.  A guard that a throw
 * left on a coroutine's stack may name memory that is gone by now: there, only the distance tells. */
static bool nested(const struct channel_thread *t, struct caller caller)
{
	uintptr_t outer = GUARD_PLACE(t->guard), place = caller_place(caller);

	if (!outer || place >= outer)
		return false;
	if (on_own_stack(t, outer))
		return outer_runs(t, caller);
	return outer - place < NESTED_MAX;
}

static bool same_stack(const struct channel_thread *t, struct caller caller)
{
	return on_own_stack(t, caller_place(caller)) == on_own_stack(t, GUARD_PLACE(t->guard));
}

/* A handler on another stack than the interrupted call's is inside that call too; but a guard of
 * a stack that is gone must not be read: only own stacks are looked at. */
bool call_guard_stale(struct channel_thread *t, struct caller caller)
{
	if (t->guard && same_stack(t, caller) && nested(t, caller))
		return false;
	if (t->guard && !same_stack(t, caller) && t->pending)
		return false;
	if (t->pending)
		ring_repair(t);
	return true;
}

/* A handler on a stack of its own that interrupts a real function is recorded, and then the
 * interrupted call goes on: its frame is as it was. */
static bool interrupts(const struct channel_thread *t, struct caller caller)
{
	uintptr_t outer = GUARD_PLACE(t->guard);

	return outer && on_own_stack(t, outer) && !on_own_stack(t, caller_place(caller)) &&
		outer_runs(t, caller);
}

/* Part of the guarded heap call, as malloc is of operator new; what a new_handler does is not. */
static bool is_part(const struct channel_thread *t, struct caller caller)
{
	return t->guard & GUARD_HEAP && (!(t->guard & GUARD_HANDLER) || real_asks_handler(caller_pc(caller)));
}

bool call_enter(struct call *c)
{
	struct channel_thread *t = c->thread;

	if (call_guard_stale(t, c->caller)) {
		if (!interrupts(t, c->caller))
			return true;
	} else if (is_part(t, c->caller)) {
		return false;
	}
	c->outer = t->guard;
	c->outer_mark = t->guard_mark;
	return true;
}

static const uint8_t families[] = {
#define X(id, symbol, label, kind, family) [OP_##id] = OP_FAMILY_##family,
	TRACE_FUNCTIONS(X)
#undef X
#define X(id, label, kind, family) [OP_##id] = OP_FAMILY_##family,
	TRACE_OWN_OPS(X)
#undef X
};

uint32_t call_stack(struct channel_thread *t, struct caller caller)
{
	size_t slot = (size_t)(t - hook.threads);

	if (unlikely(slot >= hook.threads_max))	/* a fork child that went on with its own, as call_guard() */
		return STACK_NONE;
	return unwind_capture((unsigned)slot, t, caller_pc(caller), caller_sp(caller), caller_fp(caller));
}

static uint32_t stack_wanted(const struct call *c)
{
	struct channel_thread *t = c->thread;
	uint32_t stack;

	if (!hook.depth || unlikely(!hook_tls_is(t, hook_life.now)))
		return STACK_NONE;
	stack = call_stack(t, c->caller);
	if (unlikely(hook.standalone))
		standalone_stack(t, stack);
	return stack;
}

static uint32_t stack_of(const struct call *c)
{
	return c->thread->filter & THREAD_STACKS ? stack_wanted(c) : STACK_NONE;
}

static void count_bytes(struct channel_thread *t, uint64_t size)
{
	raw_bump_local(&t->bytes, size);	/* a handler may add its own in between */
}

static void count_unrecorded(const struct channel_thread *t, uint64_t size)
{
	struct channel_unrecorded *u = &hook.region->unrecorded[(t - hook.threads) % CHANNEL_UNRECORDED];

	if (unlikely(!hook_tls_is(t, hook_life.now)))
		return;
	atomic_fetch_add_explicit(&u->calls, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->bytes, size, memory_order_relaxed);
}

/* Does the recording leave this allocation out?  Asked once for each: it moves the sampler, and a pause
 * may begin or end at any time. */
static bool left_out(struct channel_thread *t, enum op op, size_t size)
{
	bool paused = core_paused();

	if (!(t->filter & THREAD_TRACKED))
		return true;
	count_bytes(t, size);
	if (paused)
		count_unrecorded(t, size);
	if (size < hook.min_size || paused) {
		if (hook.sample)
			sample_count(t, op, size);
		return true;
	}
	return hook.sample && !sample_alloc(t, op, size);
}

void call_paused(struct channel_thread *t, enum op op, const void *block, size_t size)
{
	count_bytes(t, size);
	count_unrecorded(t, size);
	if (hook.sample)
		sample_count(t, op, size);
	shadow_put(block, SHADOW_LIVE | SHADOW_ASIDE | families[op]);
}

void call_alloc(struct call *c, enum op op, const void *block, size_t size)
{
	struct channel_thread *t = c->thread;
	uint64_t stamp;

	if (unlikely(hook.selective | (~t->filter & THREAD_TRACKED)) || unlikely(core_paused())) {
		if (t == &call_nobody)
			return;
		if (left_out(t, op, size)) {
			shadow_put(block, SHADOW_LIVE | SHADOW_ASIDE | families[op]);
			return;
		}
	} else {
		count_bytes(t, size);
	}
	shadow_put(block, SHADOW_LIVE | families[op]);
	stamp = hook_stamp();
	ring_push(t, stamp, (uintptr_t)block, size & EVENT_SIZE_MASK, stack_of(c), op);
}

static void release(struct call *c, enum op op, const void *block, size_t size, uint64_t stamp)
{
	ring_push(c->thread, stamp, (uintptr_t)block, size & (EVENT_SIZE_MASK | EVENT_INNER),
		  hook.free_stacks ? stack_of(c) : STACK_NONE, op);
}

/* At first, in a process that ran before, an allocator may still hand out blocks whose call came
 * before the patches: a freed one is then not known to be freed.  SETTLE_TICKS are about a second.  A
 * thread that is alone has ended such a call before it frees something. */
static void settle(const void *block)
{
	if (!memtrack_state.alone && hook_stamp() < hook.settle_until) {
		shadow_put(block, 0);
		return;
	}
	hook.settle_until = 0;
	core_special();
}

static unsigned retire(const void *block)
{
	unsigned known = shadow_retire(block);

	if (unlikely(hook.settle_until))
		settle(block);
	return known;
}

static enum op verdict(unsigned known, unsigned family)
{
	unsigned theirs = known & SHADOW_FAMILY;

	if (known & SHADOW_FREED)
		return OP_FOUND_DOUBLE;
	if (!(known & SHADOW_LIVE))
		return hook.attached ? OP_VOID : OP_FOUND_UNKNOWN;
	return theirs == family || hook.one_family ? OP_VOID : OP_FOUND_MISMATCH;
}

/* A release that is not simply that of a recorded block by a function of its family: tells what
 * is wrong with it, before the allocator ends the program.  False: the trace has no such block. */
static bool odd_release(struct call *c, enum op op, const void *block, unsigned known,
			uint64_t stamp)
{
	enum op found;

	if (known == SHADOW_UNTOLD)
		return true;
	found = verdict(known, families[op]);
	if (found != OP_VOID && hook.findings)
		ring_push(c->thread, stamp, (uintptr_t)block,
			  FOUND_SIZE(op, known & SHADOW_FAMILY), stack_wanted(c), found);
	return !(known & SHADOW_ASIDE);
}

void call_free(struct call *c, enum op op, const void *block)
{
	unsigned known = retire(block);
	uint64_t stamp = hook_stamp();

	if (unlikely(hook.sample))
		sample_count(c->thread, op, 0);
	if (unlikely(known != (SHADOW_LIVE | families[op])) &&
	    !odd_release(c, op, block, known, stamp))
		return;
	release(c, op, block, 0, stamp);
}

void call_resize_begin(struct call *c, struct resize *r, enum op op, void *block)
{
	r->block = block;
	r->stamp = hook_stamp();
	if (!block)
		return;
	r->known = retire(block);
	if (unlikely(r->known != (SHADOW_LIVE | OP_FAMILY_MALLOC)))
		odd_release(c, op, block, r->known, r->stamp);
}

/* May this call write, behind the real function?  In a process that ran before its session may have ended
 * meanwhile, and another one knows nothing of it.  A fork child goes on with what its parent knew. */
static bool is_current(const struct call *c)
{
	if (likely(!hook.attached))
		return c->thread || core_recording();
	return c->thread ? hook_tls_is(c->thread, hook_life.now) : c->life && c->life == hook_life.now;
}

/* The old block went only if it was freed (size 0) or replaced. */
void call_resize_end(struct call *c, const struct resize *r, enum op op, void *now, size_t size)
{
	if (unlikely(!is_current(c)))
		return;
	if (r->block && !now && size) {
		if (r->known && r->known != SHADOW_UNTOLD)
			shadow_put(r->block, r->known);
		return;
	}
	if (r->block && hook.sample)
		sample_count(c->thread, OP_REALLOC_FREE, 0);
	if (r->block && !(r->known & SHADOW_ASIDE))
		release(c, OP_REALLOC_FREE, r->block, 0, r->stamp);
	if (now)
		call_alloc(c, op, now, size);
}

void *call_aside_alloc(const struct call *c, void *block)
{
	if (block && is_current(c))
		shadow_put(block, SHADOW_LIVE | SHADOW_ASIDE | OP_FAMILY_MALLOC);
	return block;
}

unsigned call_aside_retire(struct call *c, void *block)
{
	if (!block || !is_current(c))
		return SHADOW_UNTOLD;
	return retire(block);
}

bool call_by_allocator(struct caller caller)
{
	for (const struct attach_range *r = hook.allocators; r < hook.allocators + ATTACH_ALLOCATORS; r++)
		if (caller_pc(caller) - r->low < r->high - r->low)
			return true;
	return false;
}

static bool in_trace(const struct call *c, unsigned known)
{
	return c->thread && known & SHADOW_LIVE && !(known & SHADOW_ASIDE);
}

void call_aside_free(struct call *c, enum op op, const void *block)
{
	unsigned known = call_aside_retire(c, (void *)block);

	if (unlikely(in_trace(c, known)))
		release(c, op, block, 0, hook_stamp());
}

void call_aside_resized(struct call *c, void *block, unsigned known, void *now, size_t size)
{
	if (!is_current(c))
		return;
	if (!now && size) {
		if (known && known != SHADOW_UNTOLD)
			shadow_put(block, known);
		return;
	}
	if (block && in_trace(c, known))
		release(c, OP_REALLOC_FREE, block, 0, hook_stamp());
	call_aside_alloc(c, now);
}

bool call_pages_begin(struct pages_call *p, struct caller caller)
{
	struct channel_thread *t = hook_tls_thread(hook_life.now);

	p->inner = 0;
	if (unlikely(!t)) {
		t = call_wake();
		if (!t)
			return false;
	}
	if (t->guard & (GUARD_HEAP | GUARD_PAGES) && !call_guard_stale(t, caller)) {
		p->inner = EVENT_INNER;
		p->call = (struct call){ .thread = t, .caller = caller };
		return true;
	}
	if (!call_begin(&p->call, caller))
		return false;
	t->guard = caller_place(caller) | GUARD_PAGES;
	return true;
}

void call_pages_end(struct pages_call *p)
{
	if (!p->inner)
		call_end(&p->call);
}

bool call_map(struct pages_call *p, enum op op, const void *start, size_t size)
{
	struct channel_thread *t = p->call.thread;
	bool paused;

	if (unlikely(!hook_tls_is(t, hook_life.now)) || !(t->filter & THREAD_TRACKED))
		return true;
	paused = !p->inner && core_paused();
	if (!p->inner) {
		count_bytes(t, size);
		if (hook.sample)
			sample_count(t, op, size);
	}
	if (paused)
		count_unrecorded(t, size);
	if (size < hook.min_size || paused)
		return false;
	ring_push(t, hook_stamp(), (uintptr_t)start, (size & EVENT_SIZE_MASK) | p->inner,
		  stack_of(&p->call), op);
	return true;
}

void call_pages_going(const void *start, size_t size)
{
	if (hook.depth)
		unwind_forget_range((uintptr_t)start, (uintptr_t)start + size);
}

void call_unmap(struct pages_call *p, enum op op, const void *start, size_t size, uint64_t stamp)
{
	call_pages_going(start, size);	/* again: the launcher may have looked in between */
	release(&p->call, op, start, (size & EVENT_SIZE_MASK) | p->inner, stamp);
}
