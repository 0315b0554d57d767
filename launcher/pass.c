/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One pass over a session: what its region holds goes to its sink. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "launcher/drain.h"
#include "launcher/procfs.h"
#include "launcher/tally.h"
#include "launcher/thread_numbers.h"
#include "trace/encode.h"

#define WATCH_NS	100000000u	/* exited threads are looked for this often */
#define SWEEP_NS	2000000000u	/* all threads */
#define FLUSH_NS	200000000u	/* a SIGKILL of ours loses at most 250 ms */
#define GATHER_NS	20000000u	/* so long few events are only copied */
#define GATHER_THREADS	256u
#define SYNC_NS		1000000000u	/* time moves on for viewers of an idle process */

/* The output cannot be written: from now on the session drains into nothing. */
void session_failed(struct session *s, int rc)
{
	struct drain *d = s->drain;

	s->error = rc;
	s->bytes = s->sink->ops->written(s->sink);
	s->sink->ops->free(s->sink);
	s->sink = NULL;
	if (d->callbacks.failed)
		d->callbacks.failed(d->callbacks.owner, s, rc);
}

static void session_check(struct session *s, int rc)
{
	s->dirty = true;
	if (rc)
		session_failed(s, rc);
}

void session_put(struct session *s, enum trace_kind kind, const void *value)
{
	if (s->sink)
		session_check(s, s->sink->ops->record(s->sink, kind, value));
}

void session_put_fact(struct session *s, const char *key, const char *value)
{
	struct trace_fact fact = { trace_string(key), trace_string(value) };

	session_put(s, TRACE_FACT, &fact);
}

void session_put_note(struct session *s, const char *text, bool say)
{
	struct trace_note note = { trace_string(text) };
	struct drain *d = s->drain;

	session_put(s, TRACE_NOTE, &note);
	if (say && d->callbacks.note && !s->discard)
		d->callbacks.note(d->callbacks.owner, s, text);
}

void session_put_symbols(struct session *s)
{
	if (!s->symbols)
		return;
	symbol_queue_take(s->symbols, &s->encoded);
	if (s->encoded.length && s->sink)
		session_check(s, s->sink->ops->encoded(s->sink, (const uint8_t *)s->encoded.data, s->encoded.length));
	buffer_clear(&s->encoded);
}

/* The stamps of a text log keep all bits: nothing compresses them, and they decide its order. */
static struct trace_clock session_clock(const struct session *s)
{
	struct clock clock = *s->drain->clock;

	clock.shift = s->shift;
	return clock_record(&clock, s->base_ticks);
}

static void put_clock(struct session *s)
{
	struct trace_clock clock = session_clock(s);

	s->clock_base = clock.base;
	s->clock_mult = clock.mult;
	session_put(s, TRACE_CLOCK, &clock);
}

/* The batch is being written, and the program goes on. */
static void session_breathe(void *owner)
{
	struct session *s = owner;

	if (s->channel)
		region_relieve(&s->region, &s->drain->batch);
}

/* First thing on the drain thread. */
void session_open(struct session *s)
{
	struct drain *d = s->drain;

	s->shift = s->format == SESSION_TEXT ? 0 : d->clock->shift;
	s->flushed_ns = s->synced_ns = s->watched_ns = s->swept_ns = d->now_ns;
	if (s->fd >= 0 && s->format == SESSION_TEXT)
		s->sink = sink_text_new(s->fd, NULL);
	else if (s->fd >= 0)
		s->sink = sink_mtk_new(s->fd);
	else if (s->stream)
		s->sink = sink_mtk_join(s->stream, s->number);
	if (s->sink) {
		s->sink->breathe = session_breathe;
		s->sink->owner = s;
	}
	put_clock(s);
	session_put_fact(s, "clock", d->clock->source == CLOCK_TSC ? "tsc" : "monotonic");
	if (s->sink && s->format == SESSION_MTK && !s->no_symbols)
		s->symbols = symbol_queue_new(d->symboliser, CHANNEL_NODES_MAX);
	if (s->first_channel.header)
		session_attach(s, &s->first_channel);
}

/* Starts reading a region of a channel. */
void session_attach(struct session *s, const struct session_channel *channel)
{
	if (s->region_index >= channel->region_count)
		return;
	s->channel = drain_channel_get(s->drain, channel);
	s->channel->known[s->region_index] = true;
	region_init(&s->region, channel, s->region_index, s->shift, &s->thread_serials);
	s->region.count_hidden = s->format == SESSION_TEXT && (channel->settings.min_size || channel->settings.sample);
	stack_reader_init(&s->stacks, s->stack_base);
	s->modules = xcalloc(1, sizeof(*s->modules));
	module_table_init(s->modules, s->drain->files, s->pid, s->exe, s->symbols_from, &s->module_serials);
	s->children_seen = 0;
	s->stop_said = false;
	if (s->sink && s->format == SESSION_TEXT)
		sink_text_modules(s->sink, s->modules);
}

/* Ends reading; the modules stay, addresses of them may still be in work. */
void session_detach(struct session *s, bool gone)
{
	if (!s->channel)
		return;
	mark_queue_leave(&s->marks, s->region.shared);
	s->stack_base = stack_reader_end(&s->stacks);
	vector_push(&s->retired, s->modules);
	s->modules = NULL;
	stack_reader_release(&s->stacks);
	region_release(&s->region);
	if (gone)
		regions_give_back(s->channel, s->region_index);
	drain_channel_put(s->drain, s->channel);
	s->channel = NULL;
}

/* What the kernel called the process when it executed. */
static void image_name(const struct session *s, char name[PROCFS_COMM])
{
	const char *slash = s->exe ? strrchr(s->exe, '/') : NULL;

	snprintf(name, PROCFS_COMM, "%s", s->name ? s->name : slash ? slash + 1 : "");
}

/* Another image runs by now (its file may also have been deleted meanwhile, which shows behind its name). */
static bool image_has_changed(const struct session *s)
{
	char exe[4096];

	return s->exe && procfs_exe(s->pid, exe, sizeof(exe)) == 0 && strncmp(exe, s->exe, strlen(s->exe)) != 0;
}

/* Of a thread that never set one.  What the kernel says now may be the name of the program that the process executed
 * since: the main thread's is known from when the image began. */
static void kernel_name(struct session *s, uint32_t tid, struct thread_numbers *numbers, char name[PROCFS_COMM])
{
	pid_t known = thread_numbers_outer(numbers, s->pid, tid);

	if ((known == s->pid && s->name) || image_has_changed(s) || !known || procfs_comm(known, name))
		image_name(s, name);
}

static void put_name(struct session *s, const struct region_news *n, struct thread_numbers *numbers)
{
	char comm[PROCFS_COMM] = "";
	struct trace_thread thread = { .thread = n->thread, .tid = n->tid, .stamp = n->stamp };

	if (!n->named)
		kernel_name(s, n->tid, numbers, comm);
	thread.name = trace_string(n->named ? n->name : comm);
	session_put(s, TRACE_THREAD, &thread);
}

static void put_news(struct session *s)
{
	struct region *r = &s->region;
	struct thread_numbers numbers = { 0 };

	for (size_t i = 0; i < r->news.count; i++) {
		struct region_news *n = &r->news.items[i];
		struct trace_lost lost = { n->thread, n->stamp, n->lost };

		if (n->lost)
			session_put(s, TRACE_LOST, &lost);
		else
			put_name(s, n, &numbers);
	}
	thread_numbers_release(&numbers);
	vector_clear(&r->news);
}

/* Were there any? */
static bool put_modules(struct session *s)
{
	size_t first = module_table_take(s->modules, &s->region);

	for (size_t i = first; i < s->modules->all.count; i++) {
		struct trace_module module = module_record(s->modules->all.items[i]);

		session_put(s, TRACE_MODULE, &module);
	}
	return first < s->modules->all.count;
}

static void put_unloads(struct session *s, bool all)
{
	if (!module_table_unloads(s->modules, &s->region, all))
		return;
	for (size_t i = 0; i < s->modules->all.count; i++) {
		struct module_entry *m = s->modules->all.items[i];
		struct trace_module_end end = { m->serial, m->unload_epoch, m->unload_stamp };

		if (!m->unloaded || m->ended)
			continue;
		m->ended = true;
		session_put(s, TRACE_MODULE_END, &end);
	}
}

static void want_symbols(struct session *s)
{
	const struct stack_nodes *nodes = &s->stacks.fresh;

	if (!s->symbols || !s->sink)
		return;
	for (size_t i = 0; i < nodes->count; i++) {
		const struct trace_stack_node *n = &nodes->items[i];
		const struct module_entry *m = module_table_find(s->modules, n->frame, n->flags);

		if (m)
			symbol_queue_add(s->symbols, m, module_vaddr(m, n->frame, n->flags));
		else
			symbol_queue_add_jit(s->symbols, s->modules->jit,
					     DEPOT_PC(n->frame) - !(n->flags & DEPOT_EXACT));
	}
	symbol_queue_submit(s->symbols);
}

static void put_events(struct session *s)
{
	const struct batch *b = &s->drain->batch;

	for (size_t i = 0; i < b->runs.count && s->sink; i++) {
		const struct batch_run *run = &b->runs.items[i];
		const struct trace_event *events = &b->events[run->first];

		if (run->hidden && s->sink->ops->hidden)
			s->sink->ops->hidden(s->sink, run->thread, run->hidden);
		session_check(s, s->sink->ops->events(s->sink, run->thread, events, run->count));
		if (events[run->count - 1].stamp > s->newest_stamp)
			s->newest_stamp = events[run->count - 1].stamp;
		s->events += run->count;
	}
}

static void put_tallies(struct session *s)
{
	struct region *r = &s->region;

	for (size_t i = 0; i < r->tallies.count; i++) {
		const struct region_tally *t = &r->tallies.items[i];
		struct trace_counters counters = {
			t->thread, r->pass_ticks >> r->shift, (uint32_t)t->count, &r->cells.items[t->first],
		};

		session_put(s, TRACE_COUNTERS, &counters);
	}
	vector_clear(&r->tallies);
	vector_clear(&r->cells);
}

/* Events were copied before the nodes are looked at, and nodes before the modules: so what refers
 * to something is written after it.  A node of a new epoch follows the ends of what was there before. */
static void batch_write(struct session *s)
{
	struct batch *b = &s->drain->batch;

	stack_reader_take(&s->stacks, &s->region, b);
	put_unloads(s, put_modules(s));	/* they may have gone before the epoch was last looked at */
	put_news(s);
	if (s->stacks.fresh.count && s->sink)
		session_check(s, s->sink->ops->stacks(s->sink, s->stacks.fresh.items, s->stacks.fresh.count));
	put_events(s);
	put_tallies(s);
	want_symbols(s);
	vector_clear(&s->stacks.fresh);
	batch_clear(b);
}

/* At the end only: a child that forked gets its name when it executes something. */
static void put_children(struct session *s)
{
	struct channel_region *shared = s->region.shared;
	uint32_t count = atomic_load_explicit(&shared->child_count, memory_order_acquire);

	if (count > s->children_seen) {
		s->children += count - s->children_seen;
		s->children_seen = count;
	}
	if (!s->region.final)
		return;
	for (uint32_t i = 0; i < count && i < CHANNEL_CHILDREN_MAX; i++) {
		struct channel_child copy = { 0 };
		struct trace_child child;

		copy.pid = atomic_load_explicit(&shared->children[i].pid, memory_order_acquire);
		memcpy(copy.name, shared->children[i].name, sizeof(copy.name) - 1);
		child = (struct trace_child){ .pid = copy.pid, .name = trace_string(copy.name) };
		session_put(s, TRACE_CHILD, &child);
	}
}

/* What the hook told of executing processes, and of those it had no region for. */
static void take_notes(struct session *s)
{
	struct channel_region *shared = s->region.shared;
	struct drain *d = s->drain;

	for (uint32_t i = 0; i < CHANNEL_NOTES_MAX && s->channel->channel.settings.follow; i++) {
		struct channel_note *n = &shared->notes[i], copy;

		if (atomic_load_explicit(&n->state, memory_order_acquire) != NOTE_READY)
			continue;
		memcpy((void *)&copy, (const void *)n, sizeof(copy));
		atomic_store_explicit(&n->state, NOTE_FREE, memory_order_release);
		copy.path[sizeof(copy.path) - 1] = '\0';
		if (d->callbacks.told && !s->discard)
			d->callbacks.told(d->callbacks.owner, s, &copy);
	}
}

static void put_stop(struct session *s)
{
	struct channel_region *shared = s->region.shared;
	char reason[sizeof(shared->stop_reason)], text[160];

	if (s->stop_said || !atomic_load_explicit(&shared->stopped, memory_order_acquire))
		return;
	if (atomic_load_explicit(&s->region.header->closing, memory_order_relaxed))
		return;		/* we told it to */
	s->stop_said = true;
	memcpy(reason, shared->stop_reason, sizeof(reason));
	reason[sizeof(reason) - 1] = '\0';
	snprintf(text, sizeof(text), "recording stopped in the program: %s", reason);
	session_put_note(s, text, true);
}

static void put_sync(struct session *s)
{
	struct trace_sync sync = { region_pass_end(&s->region) };

	if (sync.stamp <= s->synced)
		return;
	if (s->synced >= s->newest_stamp && s->drain->now_ns - s->synced_ns < SYNC_NS)
		return;
	s->synced = sync.stamp;
	s->synced_ns = s->drain->now_ns;
	session_put(s, TRACE_SYNC, &sync);
}

static void watch_threads(struct session *s)
{
	uint64_t now = s->drain->now_ns;
	bool all = now - s->swept_ns >= SWEEP_NS || region_scarce(&s->region);

	if (now - s->watched_ns < WATCH_NS)
		return;
	s->watched_ns = now;
	thread_watch(&s->region, s->pid, all);
	if (all)
		s->swept_ns = now;
}

static void count(struct session *s)
{
	s->lost = s->region.lost + s->region.garbage;
	s->stalls = atomic_load_explicit(&s->region.shared->stalls, memory_order_relaxed);
	s->threads = s->thread_serials;
	s->module_count = s->module_serials;
	s->stack_count = s->stacks.count;
	s->exits = s->region.exits;
}

static void flush(struct session *s)
{
	struct drain *d = s->drain;

	if (!s->sink || !s->dirty || d->now_ns - s->flushed_ns < FLUSH_NS)
		return;
	session_check(s, s->sink->ops->flush(s->sink));
	if (s->sink)
		s->bytes = s->sink->ops->written(s->sink);
	s->dirty = false;
	s->flushed_ns = d->now_ns;
}

/* Time starts when the hook does, not when the launcher began to wait for it. */
static void fix_base(struct session *s)
{
	uint64_t start = atomic_load_explicit(&s->region.shared->start_stamp, memory_order_relaxed);

	if (s->base_fixed || atomic_load_explicit(&s->region.shared->state, memory_order_acquire) != REGION_READY)
		return;
	s->base_fixed = true;
	if (start < s->base_ticks || start > s->drain->now_ticks)
		return;
	s->base_ticks = start;
	put_clock(s);
}

static void read_region(struct session *s)
{
	struct drain *d = s->drain;
	struct region *r = &s->region;
	bool all;

	fix_base(s);
	r->main_tid = atomic_load_explicit(&r->shared->pid, memory_order_relaxed);
	region_pass_begin(r, d->now_ticks, d->bound_ticks, d->now_ns);
	do {
		all = region_read(r, &d->batch);
		batch_write(s);
	} while (!all);
	if (r->final || d->now_ns - s->flushed_ns >= FLUSH_NS) {
		tally_all(r);
		put_tallies(s);
	}
	put_unloads(s, r->final);
	put_children(s);
	take_notes(s);
	put_stop(s);
	put_sync(s);
	count(s);
	if (!r->final)
		watch_threads(s);
}

/* While there are few events they are only copied, so that chunks come back to their threads and
 * no new ones are touched: long records take less space and less time. */
static bool session_gather(struct session *s, size_t *events)
{
	struct drain *d = s->drain;
	struct region *r = &s->region;
	size_t before = r->ahead.count;

	if (!s->channel || r->final || d->now_ns - s->passed_ns >= GATHER_NS || r->own.count > GATHER_THREADS)
		return false;
	region_pass_begin(r, d->now_ticks, d->bound_ticks, d->now_ns);
	*events = region_gather(r) - before;
	return r->ahead.count < AHEAD_EVENTS;
}

static void look_at_loads(struct session *s)
{
	const struct drain_events *events = &s->drain->callbacks;
	uint32_t asked = s->channel ? atomic_load(&s->region.shared->load_asked) : s->loads_seen;

	if (asked == s->loads_seen)
		return;
	s->loads_seen = asked;
	if (events->loaded)
		events->loaded(events->owner);
}

/* How many events there were. */
size_t session_pass(struct session *s)
{
	size_t gathered = 0;

	look_at_loads(s);
	if (session_gather(s, &gathered))
		return gathered;
	s->passed_ns = s->drain->now_ns;
	if (s->channel)
		read_region(s);
	session_put_marks(s);
	session_put_symbols(s);
	session_put_named(s);
	flush(s);
	return s->channel ? s->region.pass_events : 0;
}
