/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All threads, or one, stopped and let go. */
#include "inject/threads.h"

#include "inject/registers.h"
#include "inject/remote_end.h"
#include "inject/stop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hold {
	pid_t tid;
	struct thread *thread;
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

struct thread *threads_find(const struct injection *i, pid_t tid)
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

/* Number of the system call that a thread is in; -1: none, or not known. */
static long system_call_of(const struct injection *i, pid_t tid)
{
	char path[64], text[32];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)i->pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (n <= 0 || text[0] < '0' || text[0] > '9')
		return -1;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

/* Only vfork and its like wait without ever stopping for us. */
static const long forks[] = {
#ifdef SYS_vfork
	SYS_vfork,
#endif
	SYS_clone,
	SYS_clone3,
};

static bool waits_for_child(long number)
{
	for (size_t k = 0; k < sizeof(forks) / sizeof(*forks); k++)
		if (forks[k] == number)
			return true;
	return false;
}

static void tell_timeout(const struct thread *t, char *reason)
{
	if (waits_for_child(system_call_of(t->of, t->tid)))
		snprintf(reason, INJECTION_REASON, "thread %d waits for its vfork child to run a program or end, and cannot be stopped; try again later",
			 (int)t->tid);
	else
		snprintf(reason, INJECTION_REASON, "thread %d did not stop within %d ms (is it waiting for a disk or a device?); try again later",
			 (int)t->tid, t->of->stop_ms);
}

static int tell_error(int rc, char *reason)
{
	if (rc == -ESRCH)
		snprintf(reason, INJECTION_REASON, "the process went away");
	else if (rc == -EINTR)
		snprintf(reason, INJECTION_REASON, "the process executed another program meanwhile; try again");
	else if (rc == -EPERM)
		snprintf(reason, INJECTION_REASON, "a thread of it may not be traced (somebody else traces it?)");
	else if (rc == -EAGAIN)
		snprintf(reason, INJECTION_REASON, "no thread was found at a place where it can be used; try again");
	else if (rc != -ETIMEDOUT)
		snprintf(reason, INJECTION_REASON, "a thread of it cannot be stopped: %s", strerror(-rc));
	return rc;
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
	char path[32];
	struct dirent *entry;
	struct thread *t;
	DIR *task;
	int found = 0, rc = 0;
	size_t limit = i->threads.count, next = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)i->pid);
	task = opendir(path);
	if (!task)
		return errno == ENOENT ? -ESRCH : -errno;
	while (rc >= 0 && (entry = readdir(task))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || is_held(i, tid, limit, &next))
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
		int rc = stop_wait(i->threads.items[k], p);

		if (rc == -ETIMEDOUT) {
			tell_timeout(i->threads.items[k], reason);
			return rc;
		}
		if (rc == 0 && i->threads.items[k]->executed)
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

	patience_start(&p, i->stop_ms);
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
	return tell_error(rc, h->reason);
}

int threads_hold_all(struct injection *i, char reason[INJECTION_REASON])
{
	struct hold h = { .reason = reason };
	int rc = tracer_do(i, hold_all, &h);

	drop_lingering(i);
	return rc;
}

static int hold_tid(struct injection *i, struct hold *h, pid_t tid, struct patience *p)
{
	struct thread *t = threads_find(i, tid);
	bool was_held = t;
	int rc = t ? 0 : stop_ask(i, tid, &t);

	if (rc)
		return rc;
	rc = stop_plain(t, p);
	rc = rc ? rc : stop_check_memory(t);
	if (rc == 0 && thread_in_rseq(t))
		rc = -EAGAIN;
	if (rc == -ETIMEDOUT)
		tell_timeout(t, h->reason);
	if (rc == 0)
		h->thread = t;
	else if (!was_held)
		stop_release(t);
	return rc;
}

static int hold_any(struct injection *i, struct hold *h, struct patience *p)
{
	char path[32];
	struct dirent *entry;
	DIR *task;
	int rc = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)i->pid);
	task = opendir(path);
	while (task && rc && (entry = readdir(task))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			rc = hold_tid(i, h, tid, p);
	}
	if (task)
		closedir(task);
	return rc;
}

static int hold_one(struct injection *i, void *argument)
{
	struct hold *h = argument;
	struct patience p;
	int rc;

	patience_start(&p, i->stop_ms);
	do {
		rc = h->tid ? hold_tid(i, h, h->tid, &p) : hold_any(i, h, &p);
	} while (rc == -EAGAIN && patience_wait(&p));
	return rc ? tell_error(rc, h->reason) : 0;
}

int threads_hold(struct injection *i, pid_t tid, struct thread **result, char reason[INJECTION_REASON])
{
	struct hold h = { .tid = tid, .reason = reason };
	int rc = tracer_do(i, hold_one, &h);

	drop_lingering(i);
	*result = h.thread;
	return rc;
}
