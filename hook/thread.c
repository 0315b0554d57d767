/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread slots of the region. */
#include "hook/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "hook/clock.h"
#include "hook/core.h"
#include "hook/log_threads.h"
#include "hook/memory.h"
#include "hook/names.h"
#include "hook/ring.h"
#include "hook/standalone.h"
#include "hook/thread_words.h"
#include "hook/tls.h"
#include "hook/unwind.h"

#define TCB_FIRST_GLIBC	0x200	/* where in the control block the stack's bounds may be */
#define TCB_LAST_GLIBC	0x8f0
#define TCB_FIRST_MUSL	0x38
#define TCB_LAST_MUSL	0x90
#define SETTLE_MARK	0x6b72616d6d61696cul
#define MAIN_STACK_MIN	(8ul << 20)
#define MAIN_STACK_MAX	(1ul << 30)
#define EXIT_ROUNDS	4	/* PTHREAD_DESTRUCTOR_ITERATIONS */
#define EXIT_ROUND	0x100u	/* rounds seen are counted above the filter's bits */
#define SLOT_NAP_MS	10	/* of a thread that finds no slot free */
#define SLOT_NAPS	100
#define KEY_LOW		32	/* keys below need no allocation in setspecific */

extern void *__libc_stack_end __attribute__((weak));
#ifdef HOOK_MAPPED
#define pthread_key_create(key, destructor) ((void)(destructor), -1)
#define pthread_setspecific(key, value) ((void)(value))
#define have_keys() false
#else
extern int pthread_key_create(unsigned *key, void (*destructor)(void *)) __attribute__((weak));
extern int pthread_setspecific(unsigned key, const void *value) __attribute__((weak));
#define have_keys() (pthread_key_create && pthread_setspecific)
#endif

static unsigned exit_key;
static uint32_t exit_key_valid;

static uintptr_t below;	/* the control block lies so far below the thread pointer */

static uintptr_t control_block(void)
{
	return raw_thread_pointer() - below;
}

static uint32_t kernel_tid(void)
{
	return (uint32_t)raw_call(RAW_NR_gettid, 0, 0, 0, 0, 0);
}

static uint32_t word_at(uintptr_t p)
{
	return *(const volatile uint32_t *)p;
}

/* Where this (main) thread's control block holds its tid. */
static void find_tid(void)
{
	uintptr_t tcb = raw_control_block();
	uint32_t tid = kernel_tid(), offset = RAW_TCB_TID;

	if (!tcb)
		return;
	below = raw_thread_pointer() - tcb;
	if (word_at(tcb + offset) != tid)
		for (offset = 0x20; offset < 0x400 && word_at(tcb + offset) != tid; offset += 4)
			;
	if (offset < 0x400)
		hook.tid_offset = (int32_t)(offset - below);
}

/* A child by the bare system call keeps its parent's control block as it is, the tid included. */
static uint32_t stale_tid, true_tid;

static uint32_t own_tid(void)
{
	uint32_t tid = hook.tid_offset ? word_at(raw_thread_pointer() + (uintptr_t)(intptr_t)hook.tid_offset) :
					 kernel_tid();

	return unlikely(stale_tid && tid == stale_tid) ? true_tid : tid;
}

void thread_forked(void)
{
	stale_tid = 0;
	true_tid = kernel_tid();
	if (own_tid() != true_tid)
		stale_tid = own_tid();
}

uint32_t thread_tid_of(uintptr_t pthread)
{
	return hook.tid_offset && pthread ? word_at(pthread + below + (uintptr_t)(intptr_t)hook.tid_offset) : 0;
}

/* Last destructor round: whatever this thread does afterwards is only libc's own clean-up. */
static void thread_exits(void *slot)
{
	struct channel_thread *t = slot;

	if (!core_recording() || hook_tls_thread(hook_life.now) != t)
		return;
	t->filter += EXIT_ROUND;
	if (t->filter / EXIT_ROUND < EXIT_ROUNDS && exit_key_valid) {
		pthread_setspecific(exit_key, t);
		return;
	}
	t->busy = t->last_stamp | 1;
	ring_push(t, hook_stamp(), 0, t->bytes, STACK_NONE, OP_EXIT);
	t->busy = 0;
	t->state = THREAD_EXITED;
	if (hook.standalone)
		standalone_thread_end();
}

/* The launcher looks for threads that are marked so first: slots come back sooner. */
void thread_left(uint32_t slot)
{
	uint32_t live = THREAD_LIVE;

	atomic_compare_exchange_strong(&hook.threads[slot].state, &live, THREAD_EXITED);
}

static void find_main_stack(char **envp)
{
	struct rlimit limit = { 0, 0 };
	uintptr_t high = (uintptr_t)envp, size;

	while (*envp)
		envp++;
	high = (uintptr_t)(envp + 1);
	raw_call(RAW_NR_prlimit64, 0, RLIMIT_STACK, NULL, &limit, 0);
	size = limit.rlim_cur;
	if (size < MAIN_STACK_MIN)
		size = MAIN_STACK_MIN;
	if (size > MAIN_STACK_MAX)
		size = MAIN_STACK_MAX;
	hook.main_stack_high = high;
	hook.main_stack_low = high - size;
}

void thread_init(char **envp)
{
	find_tid();
	find_main_stack(envp);
	if (!have_keys())
		return;
	if (pthread_key_create(&exit_key, thread_exits) == 0 && exit_key < KEY_LOW)
		exit_key_valid = 1;
}

/* Proven bounds; 0: unknown. */
struct stack {
	uintptr_t low, high;
};

/* The C library keeps a thread's stack block (address, size) in its control block, which itself
 * lies at the upper end of that block: a pair of words for which this is true is those two. */
static struct stack find_thread_stack(void)
{
	uintptr_t tcb = control_block(), sp = (uintptr_t)__builtin_frame_address(0);
	bool glibc = hook.attached ? hook.tid_offset > TCB_LAST_MUSL : &__libc_stack_end != NULL;
	uintptr_t first = glibc ? TCB_FIRST_GLIBC : TCB_FIRST_MUSL;
	uintptr_t last = glibc ? TCB_LAST_GLIBC : TCB_LAST_MUSL;

	if (sp >= hook.main_stack_low && sp < hook.main_stack_high && own_tid() == hook.pid)
		return (struct stack){ hook.main_stack_low, hook.main_stack_high };
	if (below && last > below)
		last = below - 8;
	for (uintptr_t p = tcb + first; p < tcb + last; p += 8) {
		uintptr_t low = *(const volatile uintptr_t *)p;
		uintptr_t size = *(const volatile uintptr_t *)(p + 8);
		uintptr_t high = low + size;

		if (low && low < tcb && high >= tcb && high > low && high - tcb <= RAW_TCB_TAIL_MAX)
			return (struct stack){ low, tcb };
	}
	return (struct stack){ 0, 0 };
}

static struct channel_thread *pop_slot(void)
{
	struct channel_region *r = hook.region;
	uint64_t head = r->thread_free;
	uint32_t fresh;

	while ((uint32_t)head) {
		struct channel_thread *t = &hook.threads[(uint32_t)head - 1];
		uint64_t next = t->free_next | ((head >> 32) + 1) << 32;

		if (atomic_compare_exchange_weak(&r->thread_free, &head, next))
			return t;
	}
	fresh = atomic_fetch_add(&r->thread_fresh, 1);
	if (fresh < hook.threads_max)
		return &hook.threads[fresh];
	atomic_fetch_sub(&r->thread_fresh, 1);
	return NULL;
}

/* Threads that come and go by the thousand are gone sooner than the launcher sees it, and no event is to be lost
 * for that.  If all slots belong to threads that stay nobody waits again until one comes back. */
static struct channel_thread *wait_for_slot(void)
{
	static _Atomic uint32_t word, vain;
	struct channel_thread *t = pop_slot();

	for (unsigned naps = 0; !t && naps < SLOT_NAPS && !vain; naps++) {
		if (hook.drop || hook.standalone || !core_recording() || !ring_launcher_lives(hook.header))
			return NULL;
		ring_doorbell(true);
		ring_sleep(&word, 0, SLOT_NAP_MS);
		t = pop_slot();
	}
	vain = !t;
	return t;
}

static uint32_t filter_of(const char *name)
{
	const struct channel_settings *s = &hook.header->settings;

	return (names_match(s->track_threads, name) ? THREAD_TRACKED : 0) |
		(names_match(s->stack_threads, name) ? THREAD_STACKS : 0);
}

static void apply_filters(struct channel_thread *t, const char *name)
{
	t->filter = (t->filter & ~(EXIT_ROUND - 1)) | filter_of(name);
}

/* A new thread has its maker's name.  In a sandbox the kernel is not asked: the first thread's. */
static void kernel_name(char name[CHANNEL_NAME_MAX])
{
	static char first[CHANNEL_NAME_MAX];

	if (standalone_may_ask())
		raw_call(RAW_NR_prctl, PR_GET_NAME, name, 0, 0, 0);
	else
		memcpy(name, first, CHANNEL_NAME_MAX);
	name[CHANNEL_NAME_MAX - 1] = 0;
	if (!first[0])
		memcpy(first, name, CHANNEL_NAME_MAX);
}

/* A claim that is under way.  A signal handler may interrupt it and, for its own calls, claim a slot: then
 * this one is given back, and nobody ever sees that it was taken.  If it forks, the child has no claim. */
struct claim {
	uintptr_t before;	/* what hook_tls()->owned was: if it is not that any more, a handler was faster */
	uint32_t life;		/* of the process */
	uint32_t slot, uses;	/* of the slot: its life */
};

static void clear_slot(struct channel_thread *t)
{
	t->pos = 0;
	t->busy = 0;
	t->last_stamp = 0;
	t->bytes = 0;
	t->lost = 0;
	t->guard = 0;
	t->pending = 0;
	t->first_chunk = 0;
	t->consumed = 0;
	t->name_seq = 0;
}

/* Everything that takes a while comes before the look at the life: in a fork child the slot is the
 * parent's.  False: it is. */
static bool fill_slot(struct channel_thread *t, const struct claim *c)
{
	char name[CHANNEL_NAME_MAX] = "";
	uint32_t tid = own_tid(), filter = THREAD_TRACKED | THREAD_STACKS;
	struct stack stack = find_thread_stack();

	if (unlikely(hook.attached))
		thread_word_forget(c->slot);
	if (hook.filters || hook.standalone) {
		kernel_name(name);
		filter = filter_of(name);
	}
	if (hook.depth)
		unwind_thread_start(c->slot, t);
	atomic_fetch_or(&t->pos, 0);	/* page faults, if there are any */
	atomic_fetch_or(&t->tid, 0);
	if (hook_life.now != c->life)
		return false;
	t->life = c->uses + 1;	/* odd: being claimed */
	clear_slot(t);
	t->filter = filter;
	t->tid = tid;
	t->stack_low = stack.low;
	t->stack_high = stack.high;
	if (hook.standalone)
		log_threads_start(t, name);
	return true;
}

/* As if it had never been taken. */
static void push_slot(struct channel_thread *t, const struct claim *c)
{
	struct channel_region *r = hook.region;
	uint64_t head = r->thread_free;

	t->tid = 0;
	t->life = c->uses;
	do {
		t->free_next = (uint32_t)head;
	} while (!atomic_compare_exchange_weak(&r->thread_free, &head, (c->slot + 1) | ((head >> 32) + 1) << 32));
}

bool thread_settling(void)
{
	uintptr_t mark = hook_tls()->settling, here = (uintptr_t)__builtin_frame_address(0);

	if (!mark || (here >= mark && here - mark < MAIN_STACK_MIN))
		return false;
	return *(const volatile uintptr_t *)mark == (mark ^ SETTLE_MARK);
}

void thread_settle_begin(volatile uintptr_t *mark)
{
	*mark = (uintptr_t)mark ^ SETTLE_MARK;
	hook_tls()->settling = (uintptr_t)mark;
}

void thread_settle_end(volatile uintptr_t *mark)
{
	hook_tls()->settling = 0;
	*mark = 0;
}

static void take_slot(struct channel_thread *t, const struct claim *c)
{
	t->state = THREAD_LIVE;
	t->life = c->uses + 2;
	if (unlikely(hook.attached))
		thread_word_note(c->slot);
	if (exit_key_valid)
		pthread_setspecific(exit_key, t);
}

/* A slot for the calling thread, or the one that it got meanwhile. */
static struct channel_thread *claim_slot(struct claim *c, struct channel_thread *t)
{
	c->slot = (uint32_t)(t - hook.threads);
	c->uses = t->life;
	if (c->slot >= hook.threads_max || !fill_slot(t, c) || hook_life.now != c->life)
		return hook_tls_thread(hook_life.now);
	if (hook_tls_take(c->before, t, c->life))
		take_slot(t, c);
	else if (hook_life.now == c->life)
		push_slot(t, c);
	return hook_tls_thread(hook_life.now);
}

struct channel_thread *thread_claim(void)
{
	struct claim c = { .before = hook_tls()->owned, .life = hook_life.now };
	struct channel_thread *t = NULL;

	if (!c.life)
		return NULL;
	if (hook_tls_mine())
		t = hook.attached ? wait_for_slot() : pop_slot();
	if (t)
		return claim_slot(&c, t);
	t = hook_tls_thread(hook_life.now);
	if (!t)
		atomic_fetch_add(&hook.region->unslotted, 1);
	return t;
}

void thread_forget_all(void)
{
	stale_tid = 0;
	thread_words_clear();
}

static struct channel_thread *slot_of(uint32_t tid)
{
	uint32_t n = hook.region->thread_fresh;

	for (uint32_t i = 0; i < n && i < hook.threads_max; i++) {
		if (hook.threads[i].tid == tid && hook.threads[i].state == THREAD_LIVE)
			return &hook.threads[i];
	}
	return NULL;
}

/* The owner puts its new name into its own stream of events, so every name is kept. */
static void push_name(struct channel_thread *t, const char *name)
{
	uint64_t words[2] = { 0, 0 };
	bool outer = !t->guard;

	hook_copy_string((char *)words, name, sizeof words);
	if (outer)
		t->busy = t->last_stamp | 1;
	ring_push(t, hook_stamp(), words[0], words[1], STACK_NONE, OP_NAME);
	if (outer)
		t->busy = 0;
	if (hook.filters)
		apply_filters(t, (const char *)words);
}

/* Somebody else's name: left in the slot, where only the newest is found. */
static void post_name(struct channel_thread *t, const char *name)
{
	uint32_t seq = t->name_seq;

	if ((seq & 1) || !atomic_compare_exchange_strong(&t->name_seq, &seq, seq + 1))
		return;		/* somebody else is naming it this very moment */
	hook_copy_string(t->name, name, sizeof t->name);
	atomic_store_explicit(&t->name_seq, seq + 2, memory_order_release);
	if (hook.filters)
		apply_filters(t, t->name);
}

void thread_set_name(uint32_t tid, const char *name)
{
	struct channel_thread *t;

	if (!core_recording())
		return;
	if (tid && tid != own_tid()) {
		t = slot_of(tid);
		if (t)
			post_name(t, name);
		return;
	}
	t = hook_tls_thread(hook_life.now);
	if (!t)
		t = thread_claim();
	if (t)
		push_name(t, name);
}
