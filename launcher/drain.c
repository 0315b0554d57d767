/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drain's thread. */
#include "launcher/drain.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "launcher/doorbells.h"

#define NAP_NS		20000000u	/* while events come */
#define IDLE_NAP_NS	45000000u
#define ACTIVE_NS	1000000000u	/* no event for this long: idle */
#define BUSY_EVENTS	16384u		/* a pass with more is followed by the next at once */
#define UNORDERED_NS	100000u		/* a store may be invisible to other CPUs this long */
#define REFINE_NS	10000000000u
#define LINGER_NS	5000000000u	/* a fork child may claim its region this much later */

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void drain_ring(struct drain *d)
{
	atomic_fetch_add(&d->bell, 1);
	doorbell_wake(&d->bell);
}

static void symbols_done(void *owner)
{
	drain_ring(owner);
}

struct drain_channel *drain_channel_get(struct drain *d, const struct session_channel *channel)
{
	struct drain_channel *c = d->channels;

	while (c && c->channel.header != channel->header)
		c = c->next;
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		c->channel = *channel;
		c->known = xcalloc(channel->region_count, sizeof(*c->known));
		c->next = d->channels;
		d->channels = c;
	}
	c->users++;
	return c;
}

void drain_channel_put(struct drain *d, struct drain_channel *c)
{
	if (!--c->users)
		c->unused_since_ns = d->now_ns;
}

static void channel_drop(struct drain_channel *c)
{
	atomic_store(&c->channel.header->closing, 1);
	if (c->channel.release)
		c->channel.release(c->channel.owner);
	free(c->known);
	free(c);
}

/* Segments that nobody reads and nobody will write. */
static void channels_sweep(struct drain *d, bool all)
{
	struct drain_channel **link = &d->channels;

	while (*link) {
		struct drain_channel *c = *link;
		uint64_t linger = c->channel.settings.follow ? LINGER_NS : 0;

		if (all || (!c->users && d->now_ns - c->unused_since_ns >= linger)) {
			*link = c->next;
			channel_drop(c);
		} else {
			link = &c->next;
		}
	}
}

static void times_read(struct drain *d)
{
	uint64_t margin;

	d->now_ticks = clock_ticks(d->clock);
	d->now_ns = monotonic_ns();
	margin = (uint64_t)(UNORDERED_NS / clock_tick_ns(d->clock));
	d->bound_ticks = d->now_ticks > margin ? d->now_ticks - margin : 0;
}

/* The oldest first, here and in each pass: a stream of several processes has them in the order in which they came. */
static void sessions_adopt(struct drain *d)
{
	struct session *s, *incoming, *oldest = NULL, **end = &d->sessions;

	pthread_mutex_lock(&d->lock);
	incoming = d->incoming;
	d->incoming = NULL;
	pthread_mutex_unlock(&d->lock);
	while ((s = incoming)) {
		incoming = s->next;
		s->next = oldest;
		oldest = s;
	}
	while (*end)
		end = &(*end)->next;
	*end = oldest;
	for (s = oldest; s; s = s->next)
		session_open(s);
}

/* A session to name as the parent of a region's process: the one with that pid, else any. */
static struct session *region_parent(struct drain *d, const struct drain_channel *c, uint32_t parent_pid)
{
	struct session *any = NULL;

	for (struct session *s = d->sessions; s; s = s->next) {
		if (s->channel != c)
			continue;
		if (!any)
			any = s;
		if (s->region.main_tid == parent_pid)
			return s;
	}
	return any;
}

/* Nobody wants the process, but it must not wait for room for ever. */
static void region_discard(struct drain *d, const struct session_channel *channel, unsigned index)
{
	struct session_config config = { .fd = -1, .region = index, .channel = *channel, .no_symbols = true };

	session_new(d, &config)->discard = true;
}

static struct channel_region *region_at(const struct drain_channel *c, unsigned index)
{
	char *base = (char *)c->channel.header + c->channel.region_offset;

	return (struct channel_region *)(base + index * c->channel.region_bytes);
}

static uint32_t regions_used(const struct drain_channel *c)
{
	uint32_t used = atomic_load_explicit(&c->channel.header->regions_used, memory_order_acquire);

	return used < c->channel.region_count ? used : c->channel.region_count;
}

static void region_found(struct drain *d, struct drain_channel *c, unsigned index);

/* A process that forked while the regions were looked at may be found after its child: it comes
 * first, so that the child knows whose it is. */
static void region_find(struct drain *d, struct drain_channel *c, uint32_t pid)
{
	uint32_t used = regions_used(c);

	for (uint32_t i = 1; i < used; i++)
		if (!c->known[i] && atomic_load_explicit(&region_at(c, i)->pid, memory_order_relaxed) == pid)
			region_found(d, c, i);
}

static void region_found(struct drain *d, struct drain_channel *c, unsigned index)
{
	struct channel_region *r = region_at(c, index);
	uint32_t pid, parent;
	struct session *s = NULL;

	if (atomic_load_explicit(&r->state, memory_order_acquire) != REGION_READY)
		return;
	pid = atomic_load_explicit(&r->pid, memory_order_relaxed);
	parent = atomic_load_explicit(&r->parent_pid, memory_order_relaxed);
	c->known[index] = true;
	region_find(d, c, parent);
	if (d->callbacks.fork)
		s = d->callbacks.fork(d->callbacks.owner, region_parent(d, c, parent), &c->channel, index,
				      (pid_t)pid, (pid_t)parent);
	if (!s)
		region_discard(d, &c->channel, index);
	sessions_adopt(d);	/* the next one may be its child */
}

void drain_watch(struct drain *d, struct drain_channel *c)
{
	uint32_t used = regions_used(c);

	for (uint32_t i = 1; i < used; i++)
		if (!c->known[i])
			region_found(d, c, i);
}

void drain_clock_check(struct drain *d)
{
	d->refined_ns = d->now_ns;
	if (clock_refine(d->clock) == 0 || d->unsteady)
		return;
	d->unsteady = true;
	for (struct session *s = d->sessions; s; s = s->next)
		session_put_note(s, "the CPU's time counter is unsteady: times and the order of events may be wrong", true);
}

static void session_over(struct drain *d, struct session *s)
{
	pthread_mutex_lock(&d->lock);
	s->state = SESSION_FINISHED;
	pthread_cond_broadcast(&d->finished);
	pthread_mutex_unlock(&d->lock);
}

static void sessions_finish(struct drain *d)
{
	struct session **link = &d->sessions;

	while (*link) {
		struct session *s = *link;

		if (!session_finish(s)) {
			link = &s->next;
			continue;
		}
		*link = s->next;
		if (d->callbacks.finished)
			d->callbacks.finished(d->callbacks.owner, s);
		session_over(d, s);
	}
}

static size_t sessions_pass(struct drain *d)
{
	size_t events = 0;

	for (struct session *s = d->sessions; s; s = s->next) {
		times_read(d);
		session_take_name(s);
		events += session_pass(s);
		session_commands(s);
	}
	return events;
}

static void doorbells_collect(struct drain *d, struct doorbells *bells)
{
	bells->count = 0;
	doorbells_add(bells, &d->bell);
	for (struct drain_channel *c = d->channels; c; c = c->next)
		if (c->users)
			doorbells_add(bells, &c->channel.header->doorbell);
}

static void asleep_set(struct drain *d, uint32_t asleep)
{
	for (struct drain_channel *c = d->channels; c; c = c->next)
		atomic_store(&c->channel.header->asleep, asleep);
}

/* The bells were read before the pass: one that rang since then ends the sleep at once. */
static void drain_sleep(struct drain *d, struct doorbells *bells)
{
	asleep_set(d, 1);
	doorbells_wait(bells, d->now_ns - d->active_ns < ACTIVE_NS ? NAP_NS : IDLE_NAP_NS);
	asleep_set(d, 0);
}

/* Whoever starts a session goes on until the clock is wanted. */
static void clock_make(struct drain *d)
{
	if (!d->clock->source)
		clock_settle(d->clock);
	pthread_mutex_lock(&d->lock);
	d->settled = true;
	pthread_cond_broadcast(&d->finished);
	pthread_mutex_unlock(&d->lock);
}

void drain_wait_clock(struct drain *d)
{
	pthread_mutex_lock(&d->lock);
	while (!d->settled)
		pthread_cond_wait(&d->finished, &d->lock);
	pthread_mutex_unlock(&d->lock);
}

static void *drain_main(void *argument)
{
	struct drain *d = argument;
	struct doorbells bells;

	clock_make(d);
	while (!d->ending) {
		size_t events;

		times_read(d);
		sessions_adopt(d);
		for (struct drain_channel *c = d->channels; c; c = c->next)
			drain_watch(d, c);
		doorbells_collect(d, &bells);
		events = sessions_pass(d);
		sessions_finish(d);
		channels_sweep(d, false);
		if (d->now_ns - d->refined_ns >= REFINE_NS)
			drain_clock_check(d);
		if (events)
			d->active_ns = d->now_ns;
		if (events < BUSY_EVENTS && !d->ending)
			drain_sleep(d, &bells);
	}
	return NULL;
}

struct drain *drain_new(struct clock *clock, const struct drain_events *events, bool symbol_cache)
{
	struct drain *d = xcalloc(1, sizeof(*d));
	sigset_t all, before;
	int rc;

	d->clock = clock;
	d->callbacks = *events;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->finished, NULL);
	batch_init(&d->batch);
	d->files = symbol_files_new(symbol_cache);
	d->symboliser = symboliser_new(symbols_done, d);
	d->refined_ns = monotonic_ns();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&d->thread, NULL, drain_main, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		return d;
	d->ending = true;
	drain_free(d);
	errno = rc;
	return NULL;
}

static void session_abandon(struct session *s)
{
	session_dissolve(s);
	session_destroy(s);
}

void drain_free(struct drain *d)
{
	struct session *s;

	if (!d->ending) {
		d->ending = true;
		drain_ring(d);
		pthread_join(d->thread, NULL);
	}
	while ((s = d->incoming)) {
		d->incoming = s->next;
		session_abandon(s);
	}
	while ((s = d->sessions)) {
		d->sessions = s->next;
		session_abandon(s);
	}
	channels_sweep(d, true);
	symboliser_free(d->symboliser);
	symbol_files_free(d->files);
	batch_release(&d->batch);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->finished);
	free(d);
}
