/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the threads of a region. */
#include "launcher/region.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "launcher/tally.h"
#include "trace/ops.h"

#define THREAD_BUDGET	(64u * CHANNEL_CHUNK_SLOTS)	/* events of a thread in one pass */
#define STUCK_NS	1000000000u
#define SLOT_TRIES	1000

void batch_init(struct batch *b)
{
	memset(b, 0, sizeof(*b));
	b->events = xmalloc(BATCH_EVENTS * sizeof(*b->events));
}

void batch_release(struct batch *b)
{
	free(b->events);
	vector_release(&b->runs);
}

void batch_clear(struct batch *b)
{
	b->count = 0;
	vector_clear(&b->runs);
}

void region_init(struct region *r, const struct session_channel *c, unsigned index, unsigned shift,
		 uint32_t *serials)
{
	struct channel_layout l = channel_layout(c->threads_max, c->nodes_max, c->chunks_max, false);
	char *base = (char *)c->header + c->region_offset + index * c->region_bytes;

	memset(r, 0, sizeof(*r));
	r->header = c->header;
	r->shared = (struct channel_region *)base;
	r->threads = (struct channel_thread *)(base + l.threads);
	r->modules = (struct channel_module *)(base + l.modules);
	r->nodes = (struct depot_node *)(base + l.nodes);
	r->chunks = (struct channel_chunk *)(base + l.chunk_headers);
	r->events = (struct channel_event *)(base + l.chunks);
	r->counters = c->settings.sample ? base + l.counters : NULL;
	r->threads_max = c->threads_max;
	r->nodes_max = c->nodes_max;
	r->chunks_max = c->chunks_max;
	r->shift = shift;
	r->serials = serials;
	r->main_tid = atomic_load_explicit(&r->shared->pid, memory_order_relaxed);
	r->uses = xcalloc(c->chunks_max, sizeof(*r->uses));
	r->held = xcalloc(c->chunks_max, sizeof(*r->held));
}

void region_release(struct region *r)
{
	batch_release(&r->ahead);
	vector_release(&r->own);
	vector_release(&r->news);
	vector_release(&r->tallies);
	vector_release(&r->cells);
	map_release(&r->orphans);
	free(r->uses);
	free(r->held);
}

static bool op_exists(uint8_t op)
{
	return (op > OP_VOID && op < OP_FUNCTIONS_END) || (op > OP_OWN_BASE && op < OP_OWN_END) ||
	       (op > OP_PSEUDO_BASE && op < OP_END);
}

static void news_push(struct region *r, const struct region_news *news)
{
	vector_push(&r->news, *news);
}

/* A thread named itself: the two words are the name. */
static void name_take(struct region *r, const struct region_thread *t, const struct channel_event *from,
		      uint64_t stamp)
{
	struct region_news n = { .thread = t->serial, .tid = t->tid, .stamp = stamp >> r->shift, .named = true };
	uint64_t words[2] = { __atomic_load_n(&from->ptr, __ATOMIC_RELAXED),
			      __atomic_load_n(&from->size, __ATOMIC_RELAXED) };

	memcpy(n.name, words, sizeof(n.name));
	n.name[sizeof(n.name) - 1] = '\0';
	news_push(r, &n);
}

static void event_take(struct region *r, struct region_thread *t, const struct channel_event *from,
		       uint64_t tag, struct batch *b)
{
	uint64_t stamp = __atomic_load_n(&from->stamp, __ATOMIC_RELAXED);
	uint64_t size = __atomic_load_n(&from->size, __ATOMIC_RELAXED);
	struct trace_event *e = &b->events[b->count];
	uint8_t op = EVENT_TAG_OP(tag);

	if (!op_exists(op)) {
		r->garbage += op != OP_VOID;
		return;
	}
	if (op == OP_NAME) {
		name_take(r, t, from, stamp);
		return;
	}
	e->stamp = stamp >> r->shift;
	e->ptr = __atomic_load_n(&from->ptr, __ATOMIC_RELAXED);
	e->size = size & EVENT_SIZE_MASK;
	e->stack = EVENT_TAG_STACK(tag);
	e->op = op;
	e->inner = (size & EVENT_INNER) != 0;
	e->pad = 0;
	b->count++;
	t->last_ticks = stamp;
	if (r->count_hidden && !e->inner && (op_kind(op) == OP_KIND_ALLOC || op_kind(op) == OP_KIND_MAP))
		t->shown += e->size;
	if (op == OP_EXIT) {
		t->exited = true;
		r->exits++;
	}
}

/* Takes what is published in t's chunk, up to the batch's room; plain: up to a name, too. */
static void slots_take(struct region *r, struct region_thread *t, struct batch *b, bool plain)
{
	const struct channel_event *events = &r->events[(size_t)(t->chunk - 1) * CHANNEL_CHUNK_SLOTS];

	while (t->slot < CHANNEL_CHUNK_SLOTS && b->count < BATCH_EVENTS) {
		uint64_t tag = atomic_load_explicit(&events[t->slot].tag, memory_order_acquire);

		if (EVENT_TAG_GEN(tag) != t->generation || (plain && EVENT_TAG_OP(tag) == OP_NAME))
			break;
		event_take(r, t, &events[t->slot], tag, b);
		t->slot++;
	}
}

/* Whether the slot that is not published was reserved: one a thread may leave behind. */
static bool slot_reserved(const struct region *r, uint32_t slot, const struct region_thread *t)
{
	uint64_t pos = atomic_load_explicit(&r->threads[slot].pos, memory_order_acquire);

	if (!pos)
		return false;
	return CHANNEL_POS_CHUNK(pos) != t->chunk || CHANNEL_POS_GEN(pos) != t->generation ||
	       CHANNEL_POS_SLOT(pos) > t->slot;
}

/* The thread has been in one call for over a second and somebody waits for room: if it is this
 * thread, it waits behind its own slot, which a handler left on the way to more events. */
static bool thread_blocked(const struct region *r, const struct region_thread *t, uint64_t busy)
{
	return busy == t->busy && r->pass_ns - t->busy_since_ns > STUCK_NS &&
	       atomic_load_explicit(&r->shared->waiters, memory_order_relaxed);
}

/* Passes over an abandoned slot.  False: it may still be published, or was never reserved. */
static bool slot_skip(struct region *r, uint32_t slot, struct region_thread *t)
{
	const struct channel_event *e = &r->events[(size_t)(t->chunk - 1) * CHANNEL_CHUNK_SLOTS + t->slot];
	uint64_t busy;

	if (!r->final) {
		if (!slot_reserved(r, slot, t))
			return false;
		busy = atomic_load_explicit(&r->threads[slot].busy, memory_order_acquire);
		if (busy && !t->gone && !thread_blocked(r, t, busy))
			return false;
	}
	if (EVENT_TAG_GEN(atomic_load_explicit(&e->tag, memory_order_acquire)) != t->generation)
		t->slot++;
	return true;
}

/* True when nothing more is published; false when the batch or the budget ended it. */
static bool thread_drain(struct region *r, uint32_t slot, struct region_thread *t, struct batch *b)
{
	size_t before;

	if (!t->chunk && !chunks_enter_first(r, slot, t))
		return true;
	while (!t->broken) {
		before = b->count;
		slots_take(r, t, b, false);
		r->taken += b->count - before;
		if (b->count >= BATCH_EVENTS || (r->taken >= THREAD_BUDGET && !r->final))
			return false;
		if (t->slot < CHANNEL_CHUNK_SLOTS) {
			if (!slot_skip(r, slot, t))
				return true;
		} else if (!chunks_enter_next(r, slot, t)) {
			return true;
		}
	}
	return true;
}

/* Copies the name if it changed since the last look. */
static void thread_name(struct region *r, uint32_t slot, struct region_thread *t, bool is_new)
{
	struct channel_thread *shared = &r->threads[slot];
	uint32_t seq = atomic_load_explicit(&shared->name_seq, memory_order_acquire);
	struct region_news n = { .thread = t->serial, .tid = t->tid, .stamp = r->pass_ticks >> r->shift };

	if (!is_new && (seq == t->name_seq || seq & 1))
		return;
	if (seq && !(seq & 1)) {
		memcpy(n.name, shared->name, sizeof(n.name));
		atomic_thread_fence(memory_order_acquire);
		n.named = atomic_load_explicit(&shared->name_seq, memory_order_relaxed) == seq;
	}
	n.name[sizeof(n.name) - 1] = '\0';
	if (!n.named && !is_new)
		return;
	if (n.named)
		t->name_seq = seq;
	news_push(r, &n);
}

/* Learns who is in the slot.  False: nobody, or not ready. */
static bool thread_identify(struct region *r, uint32_t slot, struct region_thread *t)
{
	struct channel_thread *shared = &r->threads[slot];
	uint32_t life = atomic_load_explicit(&shared->life, memory_order_acquire);
	bool is_new = !t->serial;

	if (is_new) {
		if (!life || life & 1 || life == t->life)
			return false;
		t->life = life;
		t->serial = ++*r->serials;
		t->tid = atomic_load_explicit(&shared->tid, memory_order_relaxed);
	}
	thread_name(r, slot, t, is_new);
	return true;
}

static void thread_losses(struct region *r, uint32_t slot, struct region_thread *t)
{
	uint64_t lost = atomic_load_explicit(&r->threads[slot].lost, memory_order_relaxed);
	struct region_news n = { .thread = t->serial, .tid = t->tid, .stamp = r->pass_ticks >> r->shift };

	if (lost <= t->lost)
		return;
	n.lost = lost - t->lost;
	r->lost += n.lost;
	t->lost = lost;
	news_push(r, &n);
}

static void bound_lower(struct region *r, uint64_t ticks)
{
	if (ticks < r->bound)
		r->bound = ticks;
}

/* busy: as it was before the thread's events were taken. */
static void thread_bound(struct region *r, struct region_thread *t, uint64_t busy, bool drained)
{
	if (!drained)
		bound_lower(r, t->last_ticks);
	if (busy != t->busy) {
		t->busy = busy;
		t->busy_since_ns = r->pass_ns;
	}
	if (!busy || t->gone || t->broken)
		return;
	if (r->pass_ns - t->busy_since_ns <= STUCK_NS ||
	    atomic_load_explicit(&r->shared->waiters, memory_order_relaxed))
		bound_lower(r, busy);
}

/* A thread that the kernel ended without its destructors gets its EXIT here. */
static void thread_make_exit(struct region *r, uint32_t slot, struct region_thread *t, struct batch *b)
{
	struct trace_event *e = &b->events[b->count];

	if (t->exited || t->tid == r->main_tid || b->count >= BATCH_EVENTS)
		return;
	*e = (struct trace_event){
		.stamp = r->pass_ticks >> r->shift, .op = OP_EXIT,
		.size = atomic_load_explicit(&r->threads[slot].bytes, memory_order_relaxed) & EVENT_SIZE_MASK,
	};
	b->count++;
	t->exited = true;
	r->exits++;
}

static bool slot_push(struct region *r, uint32_t slot)
{
	uint64_t head = atomic_load_explicit(&r->shared->thread_free, memory_order_relaxed);

	for (int i = 0; i < SLOT_TRIES; i++) {
		uint64_t mine = ((head >> 32) + 1) << 32 | (slot + 1);

		atomic_store_explicit(&r->threads[slot].free_next, (uint32_t)head, memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(&r->shared->thread_free, &head, mine,
							  memory_order_release, memory_order_relaxed))
			return true;
	}
	return false;
}

/* Gives the slot of a thread that is gone and read to its end back to the target. */
static void thread_reclaim(struct region *r, uint32_t slot, struct region_thread *t)
{
	struct channel_thread *s = &r->threads[slot];

	if (t->chunk)
		chunks_leave(r, t);
	tally_take(r, slot, t);
	tally_clear(r, slot);
	*t = (struct region_thread){ .life = t->life };
	atomic_store_explicit(&s->pos, 0, memory_order_relaxed);
	atomic_store_explicit(&s->busy, 0, memory_order_relaxed);
	atomic_store_explicit(&s->last_stamp, 0, memory_order_relaxed);
	atomic_store_explicit(&s->bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&s->lost, 0, memory_order_relaxed);
	s->guard = s->guard_mark = s->pending = s->stack_low = s->stack_high = 0;
	s->filter = 0;
	memset(s->name, 0, sizeof(s->name));
	atomic_store_explicit(&s->tid, 0, memory_order_relaxed);
	atomic_store_explicit(&s->first_chunk, 0, memory_order_relaxed);
	atomic_store_explicit(&s->name_seq, 0, memory_order_relaxed);
	atomic_store_explicit(&s->consumed, 0, memory_order_relaxed);
	atomic_store_explicit(&s->state, THREAD_FREE, memory_order_release);
	slot_push(r, slot);
}

/* The batch's events from `first` on are t's.  Few long runs are quicker to encode, and take less space. */
static void run_push(struct batch *b, uint32_t slot, const struct region_thread *t, size_t first)
{
	struct batch_run *last = b->runs.count ? &vector_last(&b->runs) : NULL;

	if (b->count == first)
		return;
	if (last && last->thread == t->serial) {
		last->count += b->count - first;
		last->hidden = t->hidden;
	} else {
		vector_push(&b->runs, (struct batch_run){ t->serial, slot, first, b->count - first, t->hidden });
	}
}

/* True when the thread is done with for this pass, false when the batch is full. */
static bool thread_visit(struct region *r, uint32_t slot, struct batch *b)
{
	struct region_thread *t = &r->own.items[slot];
	size_t first = b->count;
	uint64_t busy, bytes;
	bool drained;

	if (!thread_identify(r, slot, t))
		return true;
	busy = atomic_load_explicit(&r->threads[slot].busy, memory_order_acquire);
	bytes = atomic_load_explicit(&r->threads[slot].bytes, memory_order_relaxed);
	drained = thread_drain(r, slot, t, b);
	if (r->count_hidden && bytes > t->shown + t->hidden)
		t->hidden = bytes - t->shown;
	if (drained && t->gone && !r->final) {
		thread_losses(r, slot, t);
		thread_make_exit(r, slot, t, b);
	}
	r->pass_events += b->count - first;
	run_push(b, slot, t, first);
	if (!drained && b->count >= BATCH_EVENTS)
		return false;
	thread_losses(r, slot, t);
	thread_bound(r, t, busy, drained);
	if (drained && t->gone && !t->broken && !r->final)
		thread_reclaim(r, slot, t);
	return true;
}

static void region_unslotted(struct region *r)
{
	uint64_t now = atomic_load_explicit(&r->shared->unslotted, memory_order_relaxed);
	struct region_news n = { .stamp = r->pass_ticks >> r->shift };

	if (now <= r->unslotted)
		return;
	n.lost = now - r->unslotted;
	r->lost += n.lost;
	r->unslotted = now;
	news_push(r, &n);
}

void region_pass_begin(struct region *r, uint64_t now_ticks, uint64_t bound_ticks, uint64_t now_ns)
{
	uint32_t fresh = atomic_load_explicit(&r->shared->thread_fresh, memory_order_acquire);

	if (fresh > r->threads_max)
		fresh = r->threads_max;
	if (fresh > r->own.count)
		vector_resize(&r->own, fresh);
	r->at = r->taken = r->pass_events = 0;
	r->ahead_left = AHEAD_EVENTS;
	r->pass_ticks = now_ticks;
	r->bound = bound_ticks;
	r->pass_ns = now_ns;
}

static void thread_relieve(struct region *r, uint32_t slot, struct batch *b)
{
	struct region_thread *t = &r->own.items[slot];
	size_t first = b->count;

	if (!t->serial || !t->chunk || t->gone || t->broken)
		return;
	do {
		slots_take(r, t, b, true);
	} while (b->count < AHEAD_EVENTS && t->slot == CHANNEL_CHUNK_SLOTS && chunks_enter_next(r, slot, t));
	run_push(b, slot, t, first);
}

void region_relieve(struct region *r, const struct batch *b)
{
	struct batch *ahead = &r->ahead;
	size_t before = ahead->count;

	if (r->final || !r->ahead_left)
		return;
	if (!ahead->events)
		batch_init(ahead);
	for (size_t i = 0; i < b->runs.count && ahead->count < AHEAD_EVENTS; i++)
		thread_relieve(r, b->runs.items[i].slot, ahead);
	chunks_wake(r);
	before = ahead->count - before;
	r->ahead_left -= before < r->ahead_left ? before : r->ahead_left;
}

size_t region_gather(struct region *r)
{
	struct batch *ahead = &r->ahead;

	if (!ahead->events)
		batch_init(ahead);
	for (size_t i = 0; i < r->own.count && ahead->count < AHEAD_EVENTS; i++) {
		struct region_thread *t = &r->own.items[i];

		if (thread_identify(r, (uint32_t)i, t) && !t->broken &&
		    (t->chunk || chunks_enter_first(r, (uint32_t)i, t)))
			thread_relieve(r, (uint32_t)i, ahead);
	}
	chunks_wake(r);
	return ahead->count;
}

static void ahead_take(struct region *r, struct batch *b)
{
	struct batch taken = r->ahead;

	r->ahead = *b;
	*b = taken;
	r->pass_events += b->count;
}

/* What was taken ahead is older than what is there now. */
bool region_read(struct region *r, struct batch *b)
{
	if (r->ahead.count)
		ahead_take(r, b);
	if (b->count >= AHEAD_EVENTS / 2)
		return false;
	for (; r->at < r->own.count; r->at++, r->taken = 0)
		if (!thread_visit(r, (uint32_t)r->at, b))
			return false;
	chunks_wake(r);
	region_unslotted(r);
	return true;
}

uint64_t region_pass_end(struct region *r)
{
	uint64_t quantum = r->bound >> r->shift;

	return quantum ? quantum - 1 : 0;
}

void region_finalise(struct region *r)
{
	r->final = true;
	chunks_find_orphans(r);
}

void region_thread_gone(struct region *r, uint32_t tid)
{
	for (size_t i = 0; i < r->own.count; i++)
		if (r->own.items[i].serial && r->own.items[i].tid == tid)
			r->own.items[i].gone = true;
}

bool region_scarce(const struct region *r)
{
	return r->own.count >= r->threads_max &&
	       !(uint32_t)atomic_load_explicit(&r->shared->thread_free, memory_order_relaxed);
}
