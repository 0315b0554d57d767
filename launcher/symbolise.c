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
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vector.h"
#include "launcher/module_table.h"
#include "launcher/symbol_cache.h"
#include "launcher/symbol_files.h"
#include "launcher/symbol_records.h"
#include "launcher/symbol_work.h"

#define WORK_MAX	2048u	/* addresses the slow thread takes at once: sorted, so that libdw's units are met once */
#define FEW		64u	/* addresses that one thread may do */
#define QUICK_MAX	4u

/* lock of the symboliser guards all but `seen` and `adding`, which belong to the drain, and what
 * `writing` guards. */
struct symbol_queue {
	struct symboliser *symboliser;
	struct symbol_queue *next;
	size_t max;
	struct map seen;
	struct symbol_works adding;
	struct symbol_backlog backlog;
	unsigned workers;		/* threads that have work of it */
	VECTOR(struct symbol_file *) files;	/* that work was of */
	pthread_mutex_t writing;
	struct intern *strings;
	struct buffer records;		/* a STRING must stand before its use */
	_Atomic bool closing, done;
};

struct symboliser {
	pthread_mutex_t lock;
	pthread_cond_t wake, idle;
	pthread_t slow, quick[QUICK_MAX];
	unsigned slow_runs, quick_runs, quick_most;
	_Atomic bool ending;
	struct symbol_queue *first;
	void (*done)(void *owner);
	void *owner;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(struct symbol_queue *q, const struct symbol_work *work, const struct symbol_result *result)
{
	pthread_mutex_lock(&q->writing);
	if (result)
		symbol_records_put(work, result, q->strings, &q->records);
	else
		symbol_records_put_jit(work, q->strings, &q->records);
	pthread_mutex_unlock(&q->writing);
}

/* *module is taken when the cache does not know. */
static void resolve(struct symbol_queue *q, const struct symbol_work *work, struct symbol_module **module)
{
	static _Thread_local struct symbol_result result;
	struct symbol_cache *cache = work->file ? work->file->cache : NULL;
	uint64_t start;

	if (!work->file) {
		put(q, work, NULL);
		return;
	}
	if (!cache || !symbol_cache_find(cache, work->vaddr, &result)) {
		start = now_ns();
		if (!*module)
			*module = symbol_file_take(work->file);
		symbol_resolve(*module, work->vaddr, &result);
		if (cache)
			symbol_cache_add(cache, work->vaddr, &result, now_ns() - start);
	}
	put(q, work, &result);
}

/* What is left when the queue closes meanwhile goes back: people wait, and others take over. */
static void work_do(struct symbol_queue *q, struct symbol_works *work)
{
	struct symbol_module *module = NULL;
	struct symbol_file *file = NULL;
	bool closing = q->closing;

	while (work->count && q->closing == closing && !q->symboliser->ending) {
		const struct symbol_work *w = &work->items[--work->count];

		if (module && w->file != file) {
			symbol_file_give(file, module);
			module = NULL;
		}
		file = w->file;
		resolve(q, w, &module);
	}
	if (module)
		symbol_file_give(file, module);
}

/* For the next session.  Before the queue is done: its files may go then. */
static void save(struct symbol_queue *q)
{
	for (size_t i = 0; i < q->files.count; i++)
		symbol_file_save(q->files.items[i]);
}

/* With the lock, as all below; it is let go meanwhile. */
static bool finish(struct symbol_queue *q)
{
	struct symboliser *s = q->symboliser;

	if (!q->closing || q->done || q->backlog.left || q->workers)
		return false;
	q->workers++;
	pthread_mutex_unlock(&s->lock);
	save(q);
	pthread_mutex_lock(&s->lock);
	q->workers--;
	q->done = true;
	if (s->done)
		s->done(s->owner);
	pthread_cond_broadcast(&s->idle);
	return true;
}

static void file_note(struct symbol_queue *q, struct symbol_file *file)
{
	if (!file)
		return;
	file->workers++;
	for (size_t i = 0; i < q->files.count; i++)
		if (q->files.items[i] == file)
			return;
	vector_push(&q->files, file);
}

/* Every object of the work once: it is sorted by object. */
static void files_begin(struct symbol_queue *q, const struct symbol_works *work)
{
	for (size_t i = 0; i < work->count; i++)
		if (!i || work->items[i].file != work->items[i - 1].file)
			file_note(q, work->items[i].file);
}

static void files_end(const struct symbol_works *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].file && (!i || files->items[i].file != files->items[i - 1].file))
			files->items[i].file->workers--;
}

static void queue_serve(struct symboliser *s, struct symbol_queue *q, struct symbol_works *work)
{
	size_t taken = work->count;

	q->workers++;
	files_begin(q, work);
	pthread_mutex_unlock(&s->lock);
	work_do(q, work);
	pthread_mutex_lock(&s->lock);
	symbol_backlog_add(&q->backlog, work->items, work->count);
	work->count = taken;	/* all of them are still there */
	files_end(work);
	q->workers--;
	finish(q);
	pthread_cond_broadcast(&s->idle);
	pthread_cond_broadcast(&s->wake);
}

/* One that had nothing left when it closed. */
static bool finish_any(struct symboliser *s)
{
	for (struct symbol_queue *q = s->first; q; q = q->next)
		if (finish(q))
			return true;
	return false;
}

/* A queue with work for this thread, which is moved to *work: the quick ones serve closing queues
 * only. */
static struct symbol_queue *queue_pick(struct symboliser *s, bool quick, struct symbol_works *work)
{
	for (struct symbol_queue *q = s->first; q; q = q->next) {
		if (q->closing != quick || !q->backlog.left)
			continue;
		if (!quick)
			symbol_backlog_take_newest(&q->backlog, WORK_MAX, work);
		else if (!symbol_backlog_take_share(&q->backlog, s->quick_most, work))
			continue;
		return q;
	}
	return NULL;
}

static void serve(struct symboliser *s, bool quick)
{
	struct symbol_works work = { 0 };

	pthread_mutex_lock(&s->lock);
	while (!s->ending) {
		struct symbol_queue *q = queue_pick(s, quick, &work);

		if (q)
			queue_serve(s, q, &work);
		else if (!quick || !finish_any(s))
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

static unsigned thread_start(pthread_t *thread, void *(*body)(void *), struct symboliser *s)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, body, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}

/* A program that allocates nothing wants none of them. */
static void threads_want(struct symboliser *s, bool quick, size_t work)
{
	unsigned most = work > FEW ? s->quick_most : 1;

	if (!quick && !s->slow_runs)
		s->slow_runs = thread_start(&s->slow, slow_main, s);
	while (quick && s->quick_runs < most && thread_start(&s->quick[s->quick_runs], quick_main, s))
		s->quick_runs++;
}

struct symboliser *symboliser_new(void (*done)(void *owner), void *owner)
{
	struct symboliser *s = xcalloc(1, sizeof(*s));
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	s->quick_most = cpus < 1 ? 1 : cpus < (long)QUICK_MAX ? (unsigned)cpus : QUICK_MAX;
	s->done = done;
	s->owner = owner;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, NULL);
	pthread_cond_init(&s->idle, NULL);
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
	for (unsigned i = 0; i < s->quick_runs; i++)
		pthread_join(s->quick[i], NULL);
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
	pthread_mutex_init(&q->writing, NULL);
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
	while (*link != q)
		link = &(*link)->next;
	*link = q->next;
	q->closing = !q->closing;	/* whoever works on it stops */
	while (q->workers)
		pthread_cond_wait(&s->idle, &s->lock);
	pthread_mutex_unlock(&s->lock);
	map_release(&q->seen);
	vector_release(&q->adding);
	vector_release(&q->files);
	symbol_backlog_release(&q->backlog);
	intern_free(q->strings);
	buffer_release(&q->records);
	pthread_mutex_destroy(&q->writing);
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
	symbol_backlog_add(&q->backlog, q->adding.items, q->adding.count);
	threads_want(s, q->closing, q->backlog.left);
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
	vector_clear(&q->adding);
}

void symbol_queue_take(struct symbol_queue *q, struct buffer *out)
{
	pthread_mutex_lock(&q->writing);
	buffer_append(out, q->records.data, q->records.length);
	buffer_clear(&q->records);
	pthread_mutex_unlock(&q->writing);
}

bool symbol_queue_idle(struct symbol_queue *q)
{
	struct symboliser *s = q->symboliser;
	bool idle;

	pthread_mutex_lock(&s->lock);
	idle = !q->adding.count && !q->backlog.left && !q->workers;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

void symbol_queue_close(struct symbol_queue *q)
{
	struct symboliser *s = q->symboliser;

	pthread_mutex_lock(&s->lock);
	symbol_backlog_add(&q->backlog, q->adding.items, q->adding.count);
	vector_clear(&q->adding);
	q->closing = true;
	if (q->backlog.left || q->workers || q->files.count)
		threads_want(s, true, q->backlog.left + (q->workers ? WORK_MAX : 0));
	else
		q->done = true;
	if (!q->done && !s->quick_runs)
		q->done = true;		/* no thread can be had */
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

bool symbol_queue_done(const struct symbol_queue *q)
{
	return q->done;
}
