/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting, forking and stopping. */
#include "hook/core.h"

#include "hook/attach.h"
#include "hook/children.h"
#include "hook/clock.h"
#include "hook/connect.h"
#include "hook/environment.h"
#include "hook/got.h"
#include "hook/memory.h"
#include "hook/real.h"
#include "hook/regions.h"
#include "hook/resolve.h"
#include "hook/ring.h"
#include "hook/standalone.h"
#include "hook/shadow.h"
#include "hook/thread.h"
#include "hook/tls.h"
#include "hook/unwind.h"

#define SETTLE_NAP_MS	20
#define SETTLE_NAPS	250

static void *unwind_memory;
static uint32_t unwind_threads;	/* for which there is memory */

struct hook_life hook_life;
struct hook hook;

extern void *__libc_stack_end __attribute__((weak));
extern char **environ __attribute__((weak));

static void view_region(uint32_t index)
{
	unsigned char *base = (unsigned char *)core_region(index);

	hook.region = (struct channel_region *)base;
	hook.threads = (struct channel_thread *)(base + hook.layout.threads);
	hook.chunk_headers = (struct channel_chunk *)(base + hook.layout.chunk_headers);
	hook.events = (struct channel_event *)(base + hook.layout.chunks);
	hook.counters = hook.sample ? (char *)base + hook.layout.counters : NULL;
}

static void copy_settings(void)
{
	const struct channel_header *h = hook.header;
	const struct channel_settings *s = &h->settings;

	hook.min_size = s->min_size;
	hook.sample = s->sample;
	hook.selective = s->min_size || s->sample;
	hook.findings = s->findings;
	hook.depth = s->stack_depth;
	hook.free_stacks = s->free_stacks;
	hook.follow = s->follow;
	hook.drop = s->drop;
	hook.clock = s->clock;
	hook.thread_chunks = s->thread_chunks;
	hook.wake_chunks = s->wake_chunks;
	hook.threads_max = h->threads_max;
	hook.chunks_max = h->chunks_max;
	hook.region_count = h->region_count;
	hook.filters = s->stack_threads[0] || s->track_threads[0];
	hook.layout = channel_layout(h->threads_max, h->nodes_max, h->chunks_max,
				     s->sample != 0);
}

static void claim_region(uint32_t index)
{
	struct channel_region *r;

	view_region(index);
	r = hook.region;
	hook.pid = (uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0);
	r->pid = hook.pid;
	r->state = REGION_CLAIMING;
	r->parent_pid = (uint32_t)raw_call(RAW_NR_getppid, 0, 0, 0, 0, 0);
	r->start_stamp = hook_stamp();
	r->node_fresh = DEPOT_FIRST;
	if (hook.depth) {
		if (!unwind_memory) {
			unwind_memory = hook_reserve(unwind_reserve_bytes(hook.threads_max));
			unwind_threads = hook.threads_max;
		}
		if (unwind_memory)
			unwind_init(unwind_memory, hook.header, r, hook.depth);
		else
			hook.depth = 0;
	}
	if (!hook.depth)
		hook.free_stacks = 0;
	hook_tell_own(r->own);
	atomic_store_explicit(&r->state, REGION_READY, memory_order_release);
	ring_doorbell(true);
}

/* A program that replaces one operator new or delete may get the others from libstdc++, which
 * build on it: only what they come down to is recorded, as blocks change their family on the way, rightly, and
 * perhaps their address.  A program that defines free itself may pass it on to us, or never let us hear of it: strdup of
 * libc then takes its blocks from the program. */
static void start_replaced(void)
{
	hook.own_new = resolve_replaced("_Znwm") || resolve_replaced("_Znam") ||
		       resolve_replaced("_ZdlPv") || resolve_replaced("_ZdaPv");
	hook.own_free = resolve_replaced("free");
	if (hook.own_free && !shadow_init())
		hook.findings = 0;
}

static void start_shadow(void)
{
	if (!hook.findings && !hook.selective && !hook.header->settings.track_threads[0])
		return;
	if (!shadow.top && !shadow_init())
		hook.findings = 0;
	if (!hook.own_free && real_is_glibc())
		shadow_widen((uintptr_t)raw_call(RAW_NR_brk, 0, 0, 0, 0, 0));
	hook.one_family = hook.header->settings.one_family || hook.own_new;
}

static bool start_session(char **envp)
{
	bool alone = standalone_wanted(envp);
	struct environment_session session;

	if (!alone && !environment_take(envp, &session))
		return false;
	hook.header = alone ? standalone_open(envp) : connect_launcher(session.socket);
	if (!hook.header)
		return false;
	if (alone)
		environment_take_alone(envp, standalone_resume_entry(), &session);
	if (!hook_wipe_on_fork(&hook_life, sizeof(hook_life)))
		return false;
	copy_settings();
	if (!hook.follow)
		environment_hide(envp, &session);
	start_replaced();
	start_shadow();
	thread_init(envp);
	hook.header->regions_used = 1;
	claim_region(0);
	if (alone && !standalone_begin())
		return false;
	connect_wait_go(hook.header);
	hook.standalone = alone;
	core_go();
	return true;
}

bool core_wipe_life(void)
{
	return hook_wipe_on_fork(&hook_life, sizeof(hook_life)) ||
		(hook_anonymous(&hook_life, sizeof(hook_life)) &&
		 hook_wipe_on_fork(&hook_life, sizeof(hook_life)));
}

void core_view(struct channel_header *header)
{
	hook.header = header;
	copy_settings();
	if (unwind_memory && hook.threads_max > unwind_threads)
		hook.threads_max = unwind_threads;
}

void core_claim_first(void)
{
	if (unwind_memory) {
		hook_clear(unwind_memory, unwind_reserve_bytes(unwind_threads));
		unwind_forget_all();
	}
	hook.header->regions_used = 1;
	claim_region(0);
}

void core_special(void)
{
	hook.special = hook.selective || hook.filters || hook.standalone || hook.clock != CLOCK_TSC ||
		       hook.settle_until;
}

void core_go(void)
{
	hook.life = hook.life % HOOK_LIFE_MAX + 1;
	core_special();
	hook_life.now = hook.life;
}

/* The initial stack holds argc, argv, NULL, envp, NULL.  musl only tells where envp is. */
char **core_environment(void)
{
	uintptr_t *stack = &__libc_stack_end ? __libc_stack_end : NULL;

	if (stack)
		return (char **)(stack + 1 + stack[0] + 1);
	return &environ ? environ : NULL;
}

static bool core_start(char **envp)
{
	uint32_t unstarted = HOOK_UNSTARTED;
	bool on;

	if (!atomic_compare_exchange_strong(&hook.state, &unstarted, HOOK_STARTING))
		return false;
	resolve_init();
	real_init();
	on = envp && start_session(envp);
	hook.state = on ? HOOK_ON : HOOK_OFF;
	return on;
}

/* Another thread of this fork child is settling it: its calls are to be recorded as well.  The
 * limit is for a thread that a signal handler took out of there for good. */
static bool wait_settled(void)
{
	uint32_t starting = HOOK_STARTING;

	for (unsigned naps = 0; hook.state == HOOK_STARTING && naps < SETTLE_NAPS; naps++)
		ring_sleep(&hook.state, HOOK_STARTING, SETTLE_NAP_MS);
	atomic_compare_exchange_strong(&hook.state, &starting, HOOK_OFF);
	return core_recording();
}

static void settled(enum hook_state state, volatile uintptr_t *mark)
{
	hook.state = state;
	ring_wake(&hook.state);
	thread_settle_end(mark);
}

/* The first call of a fork child, by whichever thread: the one that forked may come later. */
static bool settle_child(void)
{
	uint32_t on = HOOK_ON, region;
	volatile uintptr_t mark;

	if (!atomic_compare_exchange_strong(&hook.state, &on, HOOK_STARTING))
		return core_wake();
	thread_settle_begin(&mark);
	hook.life = hook.life % HOOK_LIFE_MAX + 1;
	if (hook.standalone)
		standalone_child();
	if (!hook.follow || !regions_take(&region)) {
		children_untraced((uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0));
		settled(HOOK_OFF, &mark);
		return false;
	}
	thread_forked();
	claim_region(region);
	hook_life.now = hook.life;
	settled(HOOK_ON, &mark);
	return true;
}

/* A call while the process is being started or settled.  This thread's own marks are a signal
 * handler's that interrupted that; or one jumped out of it, then it is done anew. */
static bool wake_starting(void)
{
	uint32_t starting = HOOK_STARTING;

	if (!hook.life || thread_settling())
		return false;
	if (!hook_tls()->settling)
		return wait_settled();
	hook_tls()->settling = 0;
	atomic_compare_exchange_strong(&hook.state, &starting, HOOK_ON);
	return core_wake();
}

static bool end_session(void)
{
	hook.state = HOOK_OFF;
	return false;
}

bool core_wake(void)
{
	switch ((uint32_t)hook.state) {
	case HOOK_UNSTARTED:
		return attach_injected() ? false : core_start(core_environment());
	case HOOK_ON:
		return hook_life.now ? true : attach_ended() ? end_session() : settle_child();
	case HOOK_STARTING:
		return wake_starting();
	default:
		return false;
	}
}

#ifndef HOOK_MAPPED	/* nobody would call it */
static __attribute__((constructor)) void core_constructor(void)
{
	if (core_wake())
		got_start();
}
#endif

void core_stop(const char *reason)
{
	uint32_t none = 0;

	hook.state = HOOK_OFF;
	hook_life.now = 0;
	memtrack_state.recording = 0;
	if (atomic_compare_exchange_strong(&hook.region->stopped, &none, 1))
		hook_copy_string(hook.region->stop_reason, reason, sizeof hook.region->stop_reason);
}
