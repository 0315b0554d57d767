/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for a thread at a safe point, and the way there. */
#include "inject/safe.h"

#include "base/numbers.h"
#include "inject/cave.h"
#include "inject/cpu.h"
#include "inject/judge.h"
#include "inject/memory.h"
#include "inject/registers.h"
#include "inject/status.h"
#include "inject/stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#define HOLD_MS		200		/* how long a thread may take to stop */
#define STEP_MS		100		/* how long a function may take to return */
#define STEPS		3		/* tries with one thread in a row */
#define CANDIDATES	64u

struct stepping {
	struct thread *thread;
	struct step step;
};

/* The return address as it was, if it still leads to us. */
static void undo(struct thread *t, const struct step *s)
{
	uint64_t now;

	if (memory_read(t->of, s->slot, &now, sizeof(now)) == 0 && now == cpu_return_into(t->of->cave.address))
		memory_write(t->of, s->slot, &s->onwards, sizeof(s->onwards));
}

/* Lets the thread run until it has come to the cave.  Signals are its own business. */
static int run_to_cave(struct thread *t, const struct step *s)
{
	struct patience p;
	bool returned = false;
	int rc = 0;

	patience_start(&p, STEP_MS);
	while (rc == 0 && !returned) {
		rc = stop_continue(t, PTRACE_SYSCALL);
		rc = rc ? rc : stop_wait(t, &p);
		if (rc == 0 && t->executed)
			rc = -EINTR;
		else if (rc == 0 && stop_is_plain(t))
			rc = -EAGAIN;	/* the whole process was stopped */
		else if (rc == 0 && stop_is_syscall(t))
			rc = cpu_returned(t, t->of->cave.address, s->onwards, &returned);
	}
	return rc;
}

static int plain_again(struct thread *t)
{
	struct patience p;

	patience_start(&p, t->of->stop_ms);
	if (t->state == THREAD_CALLING)
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	return stop_plain(t, &p);
}

/* 0: it has returned to its caller and stopped there.  -EAGAIN: not in time, nothing has changed. */
static int step_out(struct injection *i, void *argument)
{
	struct stepping *w = argument;
	struct thread *t = w->thread;
	uint8_t code[CAVE_SIZE];
	uint64_t now, into;
	int rc, back;

	if (memory_read(i, w->step.slot, &now, sizeof(now)) || now != w->step.onwards)
		return -EAGAIN;
	rc = cave_find(i);
	if (rc)
		return rc;
	cpu_cave_return(code, w->step.onwards);
	into = cpu_return_into(i->cave.address);
	rc = cave_write(i, code);
	rc = rc ? rc : memory_write(i, w->step.slot, &into, sizeof(into));
	if (rc)
		return rc;
	rc = run_to_cave(t, &w->step);
	if (rc == -ESRCH || rc == -EINTR)
		return rc;
	back = plain_again(t);
	/* It may have arrived just when the time was over. */
	while (rc && back == 0 && cave_holds(t)) {
		rc = run_to_cave(t, &w->step);
		back = plain_again(t);
	}
	if (rc)
		undo(t, &w->step);
	return back ? back : rc == -ETIMEDOUT ? -EAGAIN : rc;
}

static bool make_safe(struct judge *j, struct thread *t, bool may_run)
{
	struct stepping w = { .thread = t };

	for (int k = 0; k < STEPS; k++) {
		switch (judge_thread(j, t, &w.step)) {
		case VERDICT_SAFE:
			return true;
		case VERDICT_UNSAFE:
			return false;
		case VERDICT_STEP:
			if (!may_run || tracer_do(t->of, step_out, &w) != 0)
				return false;
		}
	}
	return false;
}

/* Threads that sleep are tried first: they need not be made to run; last those that might not stop, as in vfork. */
static void put(pid_t tids[CANDIDATES], size_t count, size_t *asleep, size_t *stuck, pid_t tid, char state)
{
	size_t at = state == 'S' ? *asleep : state == 'D' ? count : count - *stuck;

	/* asleep, running, stuck: one of each moves to the end of its kind. */
	if (at < count)
		tids[count] = tids[count - *stuck];
	if (at < count - *stuck)
		tids[count - *stuck] = tids[at];
	tids[at] = tid;
	*asleep += state == 'S';
	*stuck += state == 'D';
}

static size_t candidates(struct injection *i, pid_t tids[CANDIDATES], size_t *all, bool *may_run)
{
	DIR *task = numbers_threads(i->pid);
	size_t asleep = 0, stuck = 0, count = 0;
	pid_t tid;

	for (*all = 0; (tid = numbers_next(task)) != 0; ++*all) {
		struct process_status s;

		if (count == CANDIDATES || status_read(i->pid, tid, &s) != 0 || s.state == 'Z' || s.state == 'X')
			continue;
		/* There a changed return address is found out. */
		*may_run &= !s.shadow_stack;
		put(tids, count++, &asleep, &stuck, tid, s.state);
	}
	if (task)
		closedir(task);
	return count;
}

static int search(struct injection *i, struct judge *j, struct patience *p, struct thread **result, char *reason)
{
	pid_t tids[CANDIDATES];
	bool may_run = !i->was_stopped;
	size_t all;

	do {
		size_t count = candidates(i, tids, &all, &may_run);

		if (count == 0 && injection_gone(i))
			return snprintf(reason, INJECTION_REASON, "the process went away"), -ESRCH;
		/* In a stopped process nobody would give a lock back. */
		if (i->was_stopped && all > 1)
			return snprintf(reason, INJECTION_REASON, "it is stopped, and has more than one thread"),
			       -EAGAIN;
		for (size_t k = 0; k < count; k++) {
			int rc = threads_hold_for(i, tids[k], HOLD_MS, result, reason);

			if (rc == 0 && make_safe(j, *result, may_run))
				return 0;
			if (rc == 0)
				thread_release(*result);
			else if (rc == -EINTR)
				return rc;
		}
	} while (patience_wait(p));
	snprintf(reason, INJECTION_REASON, "no thread came to a place where its dlopen could be called");
	return -EAGAIN;
}

int safe_thread(struct injection *i, int deadline_ms, struct thread **result, char reason[INJECTION_REASON])
{
	struct patience p;
	struct judge *j;
	int rc = judge_open(i, &j);

	*result = NULL;
	if (rc)
		return rc;
	patience_start(&p, deadline_ms);
	rc = search(i, j, &p, result, reason);
	if (rc)
		*result = NULL;
	judge_close(j);
	return rc;
}
