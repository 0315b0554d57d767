/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The symboliser's queues and threads. */
#include "launcher/symbolise.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vector.h"
#include "launcher/module_table.h"
#include "launcher/symbol_records.h"

#define SLICE		256
#define WORK_MAX	2048u	/* addresses a worker takes at once: sorted, so that libdw's units are met once */

VECTOR_STRUCT(symbol_works, struct symbol_work);

/* lock of the symboliser guards all but `seen` and `adding`, which belong to the drain, and
 * `strings`, which belongs to whoever set `busy`. */
struct symbol_queue {
	struct symboliser *symboliser;
	struct symbol_queue *next;
	size_t max;
	struct map seen;
	struct symbol_works adding, waiting;
	struct intern *strings;
	struct buffer records;
	bool busy;
	_Atomic bool closing, done;
};

struct symboliser {
	pthread_mutex_t lock;
	pthread_cond_t wake, idle;
	pthread_t slow, quick;
	bool slow_runs, quick_runs;
	_Atomic bool ending;
	struct symbol_queue *first;
	void (*done)(void *owner);
	void *owner;
};

static int by_address(const void *left, const void *right)
{
	const struct symbol_work *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

/* Takes some of the queue's work out.  Called with the lock. */
static void work_take(struct symbol_queue *q, struct symbol_works *work)
{
	size_t n = q->closing || q->waiting.count < WORK_MAX ? q->waiting.count : WORK_MAX;

	vector_clear(work);
	vector_reserve(work, n);
	if (n)
		memcpy(work->items, q->waiting.items + q->waiting.count - n, n * sizeof(*work->items));
	work->count = n;
	q->waiting.count -= n;
}

/* Resolves what fits one slice, so that the drain may write it.  Returns how many are left. */
static size_t work_slice(struct symbol_queue *q, struct symbol_works *work, struct buffer *records)
{
	struct symboliser *s = q->symboliser;
	bool closing = q->closing;

	for (int i = 0; i < SLICE && work->count && q->closing == closing && !s->ending; i++)
		symbol_records_make(&work->items[--work->count], q->strings, records);
	pthread_mutex_lock(&s->lock);
	buffer_append(&q->records, records->data, records->length);
	pthread_mutex_unlock(&s->lock);
	buffer_clear(records);
	return work->count;
}

/* What is left when the queue closes meanwhile goes back: people wait, and the quick thread takes
 * over.  Called without the lock. */
static void work_do(struct symbol_queue *q, struct symbol_works *work)
{
	struct symboliser *s = q->symboliser;
	struct buffer records = BUFFER_INIT;
	bool closing = q->closing;

	qsort(work->items, work->count, sizeof(*work->items), by_address);
	while (work_slice(q, work, &records) && q->closing == closing && !s->ending)
		;
	buffer_release(&records);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < work->count; i++)
		vector_push(&q->waiting, work->items[i]);
	pthread_mutex_unlock(&s->lock);
}

/* A queue with work for this thread: the quick one serves closing queues only.  With the lock. */
static struct symbol_queue *queue_pick(struct symboliser *s, bool quick)
{
	for (struct symbol_queue *q = s->first; q; q = q->next)
		if (!q->busy && !q->done && (quick ? q->closing : !q->closing && q->waiting.count))
			return q;
	return NULL;
}

static void queue_serve(struct symboliser *s, struct symbol_queue *q, struct symbol_works *work)
{
	q->busy = true;
	work_take(q, work);
	pthread_mutex_unlock(&s->lock);
	if (work->count)
		work_do(q, work);
	pthread_mutex_lock(&s->lock);
	q->busy = false;
	if (q->closing && !q->waiting.count) {
		q->done = true;
		if (s->done)
			s->done(s->owner);
	}
	pthread_cond_broadcast(&s->idle);
	pthread_cond_broadcast(&s->wake);
}

static void serve(struct symboliser *s, bool quick)
{
	struct symbol_works work = { 0 };

	pthread_mutex_lock(&s->lock);
	while (!s->ending) {
		struct symbol_queue *q = queue_pick(s, quick);

		if (q)
			queue_serve(s, q, &work);
		else
			pthread_cond_wait(&s->wake, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	vector_release(&work);
}

static void *slow_main(void *argument)
{
	struct sched_param none = { 0 };

	/* On Linux both are properties of the thread. */
	sched_setscheduler(0, SCHED_BATCH, &none);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	serve(argument, false);
	return NULL;
}

static void *quick_main(void *argument)
{
	serve(argument, true);
	return NULL;
}

struct symboliser *symboliser_new(void (*done)(void *owner), void *owner)
{
	struct symboliser *s = xcalloc(1, sizeof(*s));
	sigset_t all, before;

	s->done = done;
	s->owner = owner;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, NULL);
	pthread_cond_init(&s->idle, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->slow_runs = pthread_create(&s->slow, NULL, slow_main, s) == 0;
	s->quick_runs = pthread_create(&s->quick, NULL, quick_main, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s;
}

void symboliser_free(struct symboliser *s)
{
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
	if (s->slow_runs)
		pthread_join(s->slow, NULL);
	if (s->quick_runs)
		pthread_join(s->quick, NULL);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->wake);
	pthread_cond_destroy(&s->idle);
	free(s);
}

struct symbol_queue *symbol_queue_new(struct symboliser *s, size_t max)
{
	struct symbol_queue *q = xcalloc(1, sizeof(*q));

	q->symboliser = s;
	q->max = max;
	q->strings = intern_new();
	pthread_mutex_lock(&s->lock);
	q->next = s->first;
	s->first = q;
	pthread_mutex_unlock(&s->lock);
	return q;
}

void symbol_queue_free(struct symbol_queue *q)
{
	struct symboliser *s = q->symboliser;
	struct symbol_queue **link = &s->first;

	pthread_mutex_lock(&s->lock);
	q->waiting.count = 0;
	while (q->busy)
		pthread_cond_wait(&s->idle, &s->lock);
	while (*link != q)
		link = &(*link)->next;
	*link = q->next;
	pthread_mutex_unlock(&s->lock);
	map_release(&q->seen);
	vector_release(&q->adding);
	vector_release(&q->waiting);
	intern_free(q->strings);
	buffer_release(&q->records);
	free(q);
}

/* User addresses and file addresses have 48 bits, serials fit the rest; others would only be
 * mistaken for one already asked for. */
static void add(struct symbol_queue *q, const struct symbol_work *work)
{
	bool created;

	if (map_count(&q->seen) >= q->max)
		return;
	map_place(&q->seen, (uint64_t)work->module << 48 ^ work->vaddr, &created);
	if (created)
		vector_push(&q->adding, *work);
}

void symbol_queue_add(struct symbol_queue *q, const struct module_entry *m, uint64_t vaddr)
{
	add(q, &(struct symbol_work){ .file = m->file, .vaddr = vaddr, .module = m->serial });
}

void symbol_queue_add_jit(struct symbol_queue *q, struct jit_map *jit, uint64_t address)
{
	add(q, &(struct symbol_work){ .jit = jit, .vaddr = address });
}

void symbol_queue_submit(struct symbol_queue *q)
{
	struct symboliser *s = q->symboliser;

	if (!q->adding.count)
		return;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < q->adding.count; i++)
		vector_push(&q->waiting, q->adding.items[i]);
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
	vector_clear(&q->adding);
}

void symbol_queue_take(struct symbol_queue *q, struct buffer *out)
{
	pthread_mutex_lock(&q->symboliser->lock);
	buffer_append(out, q->records.data, q->records.length);
	buffer_clear(&q->records);
	pthread_mutex_unlock(&q->symboliser->lock);
}

void symbol_queue_close(struct symbol_queue *q)
{
	struct symboliser *s = q->symboliser;

	symbol_queue_submit(q);
	pthread_mutex_lock(&s->lock);
	q->closing = true;
	if (!s->quick_runs)
		q->done = true;
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

bool symbol_queue_done(const struct symbol_queue *q)
{
	return q->done;
}
