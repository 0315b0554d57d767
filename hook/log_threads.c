/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The consumer's knowledge of threads. */
#include "hook/log_threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <time.h>

#include "hook/clock.h"
#include "hook/core.h"
#include "hook/log.h"
#include "hook/log_cursor.h"
#include "hook/log_out.h"
#include "hook/memory.h"
#include "trace/ops.h"

#define SWEEP_FLUSHES	1024u	/* threads that never said goodbye are looked for this often */
#define PROBES_MAX	32u	/* in one flush */

void log_threads_start(struct channel_thread *t, const char *name)
{
	struct log_thread *l = &log_state.threads[t - hook.threads];

	hook_copy_string(t->name, name, sizeof t->name);
	l->pos = 0;
	l->bytes = 0;
	l->text = 0;
	l->control = raw_thread_pointer();
	l->idle = hook_stamp();		/* none of its events is older */
}

static void set_name(struct log_thread *l, uint32_t tid, const char *name, size_t length)
{
	size_t n = 0;

	while (n < length && name[n])
		n++;
	l->tid = tid;
	l->prefix_length = text_prefix(l->prefix, tid, name, n);
}

/* The name at the start, or one that another thread gave. */
static void read_name(struct log_thread *l, const struct channel_thread *t)
{
	uint32_t seq = atomic_load_explicit(&t->name_seq, memory_order_acquire);
	char name[CHANNEL_NAME_MAX];

	if ((seq & 1) || (seq == l->name_seq && l->prefix_length))
		return;
	memcpy(name, t->name, sizeof name);
	atomic_thread_fence(memory_order_acquire);
	if (t->name_seq != seq)
		return;
	l->name_seq = seq;
	set_name(l, t->tid, name, sizeof name);
}

bool log_threads_ready(uint32_t slot)
{
	const struct channel_thread *t = &hook.threads[slot];

	if ((t->life & 1) || t->state == THREAD_FREE)
		return false;
	read_name(&log_state.threads[slot], t);
	return true;
}

static uint64_t bytes_of(enum op_kind kind, const struct channel_event *e)
{
	return kind == OP_KIND_ALLOC || kind == OP_KIND_MAP ? e->size & EVENT_SIZE_MASK : 0;
}

/* A mark behind the allocation tells what the thread has allocated with blocks left out. */
static uint64_t total_with(const struct log_thread *l, uint64_t bytes)
{
	const struct channel_event *next = hook.min_size && bytes ? cursor_second(l) : NULL;

	if (next && EVENT_TAG_OP(next->tag) == OP_VOID && next->ptr == LOG_TOTAL_MARK)
		return next->size;
	return l->total + bytes;
}

/* The main thread has no EXIT line; one that is not tracked has none at all. */
static bool exit_shown(const struct log_thread *l, const struct channel_thread *t)
{
	return l->tid != hook.pid && (t->filter & THREAD_TRACKED);
}

bool log_threads_event(uint32_t slot)
{
	struct log_thread *l = &log_state.threads[slot];
	const struct channel_event *e = cursor_peek(l, slot);
	enum op op = EVENT_TAG_OP(e->tag);
	enum op_kind kind = op_kind(op);
	bool ok = true;

	if (op == OP_NAME) {
		uint64_t words[2] = { e->ptr, e->size };

		set_name(l, l->tid, (const char *)words, sizeof words);
	} else if (op == OP_VOID && e->ptr == LOG_TOTAL_MARK) {
		l->total = e->size;
	} else if (kind == OP_KIND_EXIT) {
		l->exited = true;
		ok = !exit_shown(l, &hook.threads[slot]) || log_out_event(l, e, 0);
	} else if (!(e->size & EVENT_INNER)) {
		uint64_t total = total_with(l, bytes_of(kind, e));

		ok = log_out_event(l, e, total);
		l->total = total;
	}
	if (ok) {
		cursor_take(l);
		log_state.whole = log_state.length;
	}
	return ok;
}

/* libc clears the tid in a thread's control block when it is gone, and may unmap the block: futex
 * tells both without harm.  Without an offset of the tid nothing is ever reclaimed. */
static bool is_gone(const struct log_thread *l, const struct channel_thread *t)
{
	const struct timespec now = { 0, 0 };
	long r;

	if (!hook.tid_offset || !l->control)
		return false;
	r = raw_call(RAW_NR_futex, l->control + (uintptr_t)(intptr_t)hook.tid_offset, FUTEX_WAIT_PRIVATE, t->tid, &now, 0);
	return r == -EAGAIN || r == -EFAULT;
}

static void give_back(uint32_t slot)
{
	struct channel_thread *t = &hook.threads[slot];
	struct channel_region *r = hook.region;
	uint64_t head = r->thread_free;

	cursor_leave(&log_state.threads[slot]);
	log_state.threads[slot] = (struct log_thread){ .slot = 0 };
	t->pos = 0;
	t->busy = 0;
	t->bytes = 0;
	t->first_chunk = 0;
	t->consumed = 0;
	t->tid = 0;
	t->name_seq = 0;
	t->pending = t->guard = 0;
	atomic_store_explicit(&t->state, THREAD_FREE, memory_order_release);
	do {
		t->free_next = (uint32_t)head;
	} while (!atomic_compare_exchange_weak(&r->thread_free, &head, (slot + 1) | ((head >> 32) + 1) << 32));
}

static void say_exit(struct log_thread *l, const struct channel_thread *t)
{
	struct channel_event e = {
		.stamp = hook_stamp(), .size = t->bytes, .tag = EVENT_TAG(STACK_NONE, OP_EXIT, 0),
	};

	l->exited = true;
	if (exit_shown(l, t))
		log_out_event(l, &e, 0);
}

/* Exited threads soon, again and again at growing distance; the others when there is reason to. */
static bool due(const struct log_thread *l, const struct channel_thread *t, bool sweep)
{
	if (t->state != THREAD_EXITED)
		return sweep && t->state == THREAD_LIVE && !(t->life & 1) && l->tid != hook.pid;
	return l->exited && log_state.flushes >= l->probe_at;
}

void log_threads_reclaim(uint32_t count, bool last)
{
	bool sweep = last || count > hook.threads_max / 4 * 3 || log_state.flushes % SWEEP_FLUSHES == 0;
	uint32_t probes = 0;

	for (uint32_t i = 0; i < count && (sweep || probes < PROBES_MAX); i++) {
		struct log_thread *l = &log_state.threads[i];
		struct channel_thread *t = &hook.threads[i];

		if (!due(l, t, sweep))
			continue;
		probes++;
		if (!is_gone(l, t)) {
			l->probe_wait += l->probe_wait + 1;
			l->probe_at = log_state.flushes + l->probe_wait;
			continue;
		}
		if (!l->exited)
			say_exit(l, t);
		if (cursor_empty(l, i) && !last)
			give_back(i);
	}
	if (sweep)
		log_out_flush();
}
