/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All threads, or one, stopped and let go. */
#include "inject/threads.h"

#include "base/numbers.h"
#include "inject/hold_reason.h"
#include "inject/registers.h"
#include "inject/remote_end.h"
#include "inject/status.h"
#include "inject/stop.h"

#include <errno.h>
#include <time.h>

#define ALL_MS		250		/* how long all others stand still for one that does not come; then twice ... */
#define ONE_MS		100		/* of any thread; then another one is tried */
#define CATCH_MS	1000		/* of a vfork parent, which hinders nobody */
#define APART_NS	20000000l

struct hold {
	pid_t tid;
	int ms;				/* this time */
	struct thread *thread;
	threads_work *work;		/* with all */
	void *argument;
	int result;			/* of that */
	char *reason;
};

size_t threads_count(const struct injection *i)
{
	return i->threads.count;
}

struct thread *threads_at(const struct injection *i, size_t index)
{
	return i->threads.items[index];
}

static struct thread *find(const struct injection *i, pid_t tid)
{
	for (size_t k = 0; k < i->threads.count; k++)
		if (i->threads.items[k]->tid == tid)
			return i->threads.items[k];
	return NULL;
}

pid_t thread_tid(const struct thread *t)
{
	return t->tid;
}

bool thread_usable(const struct thread *t)
{
	return stop_is_plain(t);
}

/* Threads that never stopped are let go by the kernel, with the tracer they are bound to. */
static void drop_lingering(struct injection *i)
{
	if (!i->lingering || i->threads.count)
		return;
	i->lingering = false;
	tracer_stop(i);
	tracer_start(i);	/* should that fail, so does all that follows, by -EAGAIN */
}

static int release_all(struct injection *i, void *unused)
{
	struct thread *by = NULL;

	(void)unused;
	for (size_t k = 0; k < i->threads.count; k++) {
		struct thread *t = i->threads.items[k];

		if (t->state == THREAD_CALLING || (!by && stop_is_plain(t)))
			by = t;
	}
	remote_end(i, by);
	while (i->threads.count)
		stop_release(vector_last(&i->threads));
	return 0;
}

void threads_release_all(struct injection *i)
{
	tracer_do(i, release_all, NULL);
	drop_lingering(i);
}

static int release_one(struct injection *i, void *argument)
{
	if (i->threads.count == 1 || ((struct thread *)argument)->state == THREAD_CALLING)
		remote_end(i, argument);
	stop_release(argument);
	return 0;
}

void thread_release(struct thread *t)
{
	struct injection *i = t->of;

	tracer_do(i, release_one, t);
	drop_lingering(i);
}

/* Among the first limit of the list, which grows in the order of the folder: the next one is mostly where the
 * last one was. */
static bool is_held(const struct injection *i, pid_t tid, size_t limit, size_t *next)
{
	for (size_t k = 0; k < limit; k++) {
		size_t at = (*next + k) % limit;

		if (i->threads.items[at]->tid == tid) {
			*next = at + 1;
			return true;
		}
	}
	return false;
}

/* Seizes all that are not yet; the number of those, or -errno. */
static int ask_new(struct injection *i)
{
	struct thread *t;
	DIR *task = numbers_threads(i->pid);
	int found = 0, rc = 0;
	size_t limit = i->threads.count, next = 0;
	pid_t tid;

	if (!task)
		return errno == ENOENT ? -ESRCH : -errno;
	while (rc >= 0 && (tid = numbers_next(task)) != 0) {
		if (is_held(i, tid, limit, &next))
			continue;
		rc = stop_ask(i, tid, &t);
		if (rc == -ESRCH)
			rc = 0;
		else if (rc == 0)
			found++;
	}
	closedir(task);
	return rc < 0 ? rc : found;
}

static int wait_all(struct injection *i, struct patience *p, char *reason)
{
	for (size_t k = 0; k < i->threads.count; k++) {
		struct thread *t = i->threads.items[k];
		int rc = stop_wait(t, p);

		if (rc == -ETIMEDOUT)
			return hold_reason(i, t->tid, rc, reason);
		if (rc == 0 && t->executed)
			return -EINTR;
	}
	return 0;
}

/* The ended ones need no care any more. */
static void drop_gone(struct injection *i)
{
	for (size_t k = i->threads.count; k-- > 0;)
		if (i->threads.items[k]->state == THREAD_GONE)
			stop_release(i->threads.items[k]);
}

static int hold_all(struct injection *i, void *argument)
{
	struct hold *h = argument;
	struct patience p;
	int found, rc;

	patience_start(&p, h->ms);
	do {
		found = ask_new(i);
		rc = found < 0 ? found : wait_all(i, &p, h->reason);
		drop_gone(i);
	} while (rc == 0 && found > 0);
	if (rc == 0 && i->threads.count == 0)
		rc = -ESRCH;
	rc = rc ? rc : stop_check_memory(i->threads.items[0]);
	if (rc == 0)
		return 0;
	release_all(i, NULL);
	return rc == -ETIMEDOUT ? rc : hold_reason(i, 0, rc, h->reason);
}

static int work_with_all(struct injection *i, void *argument)
{
	struct hold *h = argument;
	int rc = hold_all(i, h);

	if (rc)
		return rc;
	h->result = h->work(i, h->argument, h->reason);
	release_all(i, NULL);
	return 0;
}

/* A thread that waits for its vfork child; 0: there is none. */
static pid_t waiting_for_child(const struct injection *i)
{
	DIR *task = numbers_threads(i->pid);
	pid_t tid;

	do
		tid = numbers_next(task);
	while (tid && !hold_waits_for_child(i, tid));
	if (task)
		closedir(task);
	return tid;
}

static int hold_tid(struct injection *i, void *argument)
{
	struct hold *h = argument;
	struct thread *t = find(i, h->tid);
	bool was_held = t;
	struct patience p;
	int rc;

	patience_start(&p, h->ms);
	do {
		rc = t ? 0 : stop_ask(i, h->tid, &t);
		if (rc)
			break;
		rc = stop_plain(t, &p);
		rc = rc ? rc : stop_check_memory(t);
		if (rc == 0 && thread_in_rseq(t))
			rc = -EAGAIN;
		if (rc && !was_held) {
			stop_release(t);
			t = NULL;
		}
	} while (rc == -EAGAIN && patience_wait(&p));
	if (rc == 0)
		h->thread = t;
	return rc;
}

static int hold_one(struct injection *i, struct hold *h)
{
	int rc = tracer_do(i, hold_tid, h);

	drop_lingering(i);
	return rc;
}

/* Such a one is stopped first, as it comes back from its child, perhaps for a moment only; meanwhile all others run.
 * -ETIMEDOUT: the time was used up by that. */
static int catch_parents(struct injection *i, int *left, char *reason)
{
	const struct timespec apart = { .tv_nsec = APART_NS };
	pid_t tid;

	while ((tid = waiting_for_child(i)) != 0) {
		struct hold h = { .tid = tid, .ms = CATCH_MS, .reason = reason };
		int rc = *left > 0 ? hold_one(i, &h) : -ETIMEDOUT;

		if (rc && rc != -ESRCH && (rc != -ETIMEDOUT || *left <= 0))
			return hold_reason(i, tid, rc, reason);
		if (rc == -ETIMEDOUT) {
			*left -= CATCH_MS;
			nanosleep(&apart, NULL);
		}
	}
	return 0;
}

/* The time is given in pieces, between which all threads run: the one that cannot be stopped may wait for them. */
static int try_all(struct injection *i, tracer_fn *work, struct hold *h)
{
	const struct timespec apart = { .tv_nsec = APART_NS };
	bool held = i->threads.count != 0;
	int left = i->stop_ms, rc;

	for (int ms = ALL_MS;; ms *= 2) {
		rc = held ? 0 : catch_parents(i, &left, h->reason);
		if (rc) {
			threads_release_all(i);
			return rc;
		}
		h->ms = held || (left > 0 && left < ms) ? left : ms;
		left -= h->ms;
		rc = tracer_do(i, work, h);
		drop_lingering(i);
		if (rc != -ETIMEDOUT || left <= 0)
			return rc;
		nanosleep(&apart, NULL);
	}
}

int threads_hold_all(struct injection *i, char reason[INJECTION_REASON])
{
	struct hold h = { .reason = reason };

	return try_all(i, hold_all, &h);
}

int threads_with_all(struct injection *i, threads_work *work, void *argument, char reason[INJECTION_REASON])
{
	struct hold h = { .work = work, .argument = argument, .reason = reason };
	int rc = try_all(i, work_with_all, &h);

	return rc ? rc : h.result;
}

/* One pass over the threads; first those that can be expected to stop.  What speaks of a thread that is there goes
 * before what speaks of one that has gone. */
static int hold_any(struct injection *i, struct hold *h, const struct patience *p)
{
	DIR *task = numbers_threads(i->pid);
	int rc = -ESRCH, one;

	for (int stuck = 0; task && rc && stuck < 2; stuck++, rewinddir(task))
		while (rc && (h->tid = numbers_next(task)) != 0) {
			if (rc == -ETIMEDOUT && patience_over(p))
				break;
			if ((status_state(i->pid, h->tid) == 'D') != stuck)
				continue;
			one = hold_one(i, h);
			if (one == -ETIMEDOUT)
				hold_reason(i, h->tid, one, h->reason);
			rc = one == -ESRCH ? rc : one;
		}
	if (task)
		closedir(task);
	return rc;
}

static int hold_some(struct injection *i, struct hold *h)
{
	struct patience p;
	int rc;

	patience_start(&p, i->stop_ms);
	for (h->ms = ONE_MS;; h->ms *= 2) {
		h->ms = h->ms < i->stop_ms ? h->ms : i->stop_ms;
		rc = hold_any(i, h, &p);
		if ((rc != -ETIMEDOUT && rc != -EAGAIN) || !patience_wait(&p))
			return rc;
	}
}

int threads_hold_for(struct injection *i, pid_t tid, int ms, struct thread **result, char reason[INJECTION_REASON])
{
	struct hold h = { .tid = tid, .ms = ms, .reason = reason };
	int rc = tid ? hold_one(i, &h) : hold_some(i, &h);

	*result = h.thread;
	return rc && (tid || rc != -ETIMEDOUT) ? hold_reason(i, tid, rc, reason) : rc;
}

int threads_hold(struct injection *i, pid_t tid, struct thread **result, char reason[INJECTION_REASON])
{
	return threads_hold_for(i, tid, i->stop_ms, result, reason);
}
