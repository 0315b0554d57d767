/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PTRACE_SEIZE and PTRACE_INTERRUPT of one thread, and the stops that follow. */
#include "inject/stop.h"

#include "base/alloc.h"
#include "inject/cpu.h"
#include "inject/memory.h"
#include "symbols/living.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSCALL_STOP	(SIGTRAP | 0x80)	/* with PTRACE_O_TRACESYSGOOD */

static unsigned event_of(const struct thread *t)
{
	return (unsigned)t->status >> 16;
}

bool stop_is_plain(const struct thread *t)
{
	return t->state == THREAD_STOPPED && event_of(t) == PTRACE_EVENT_STOP && !t->executed;
}

bool stop_is_syscall(const struct thread *t)
{
	return t->state == THREAD_STOPPED && event_of(t) == 0 && WSTOPSIG(t->status) == SYSCALL_STOP;
}

static int seize(struct injection *i, pid_t tid)
{
	unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC;

	if (i->seccomp_suspended) {
		if (ptrace(PTRACE_SEIZE, tid, 0, options | PTRACE_O_SUSPEND_SECCOMP) == 0)
			return 0;
		if (errno != EPERM && errno != EINVAL)
			return -errno;
	}
	return ptrace(PTRACE_SEIZE, tid, 0, options) == 0 ? 0 : -errno;
}

int stop_ask(struct injection *i, pid_t tid, struct thread **result)
{
	struct thread *t;
	int rc;

	/* A main thread that has ended stays as a zombie as long as others run; to be its tracer would
	 * keep its end from its parent. */
	if (tid == i->pid && !living_is(i->pid, tid))
		return -ESRCH;
	rc = seize(i, tid);
	if (rc)
		return rc == -EPERM && !living_is(i->pid, tid) ? -ESRCH : rc;
	t = xcalloc(1, sizeof(*t));
	t->of = i;
	t->tid = tid;
	t->state = THREAD_ASKED;
	vector_push(&i->threads, t);
	*result = t;
	/* The only failure is that it ended; the wait tells. */
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	return 0;
}

static void take_stop(struct thread *t)
{
	t->state = THREAD_STOPPED;
	t->signal = 0;
	if (event_of(t) == PTRACE_EVENT_EXEC)
		t->executed = t->of->executed = true;
	else if (event_of(t) == 0 && WSTOPSIG(t->status) != SYSCALL_STOP)
		t->signal = WSTOPSIG(t->status);
	if (ptrace(PTRACE_GETREGS, t->tid, 0, &t->regs) != 0)
		t->state = THREAD_GONE;
	else if (stop_is_plain(t))
		t->blocked = cpu_interrupted(t);
}

int stop_look(struct thread *t)
{
	pid_t got;

	if (t->state == THREAD_STOPPED || t->state == THREAD_GONE)
		return 1;
	got = waitpid(t->tid, &t->status, WNOHANG | __WALL | __WNOTHREAD);
	if (got == t->tid && WIFSTOPPED(t->status))
		take_stop(t);
	else if (got == t->tid || (got < 0 && errno != EINTR))
		t->state = THREAD_GONE;
	return got != 0;
}

int stop_wait(struct thread *t, struct patience *p)
{
	while (!stop_look(t)) {
		if (patience_wait(p))
			continue;
		/* A main thread's end is reported with that of the last other one only. */
		if (living_is(t->of->pid, t->tid))
			return -ETIMEDOUT;
		t->of->lingering = true;
		t->state = THREAD_GONE;
	}
	return t->state == THREAD_GONE ? -ESRCH : 0;
}

int stop_continue(struct thread *t, int request)
{
	int signal = t->signal;

	if (t->state != THREAD_STOPPED)
		return -ESRCH;
	t->state = THREAD_CALLING;
	t->signal = 0;
	if (ptrace(request, t->tid, 0, (long)signal) == 0)
		return 0;
	t->state = THREAD_GONE;
	return -errno;
}

int stop_plain(struct thread *t, struct patience *p)
{
	int rc;

	while (!stop_is_plain(t)) {
		if (t->executed)
			return -EINTR;
		/* What was interrupted is first: no instruction of the program runs. */
		if (t->state == THREAD_STOPPED) {
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
			rc = stop_continue(t, PTRACE_CONT);
			if (rc)
				return rc;
		}
		rc = stop_wait(t, p);
		if (rc)
			return rc;
	}
	return 0;
}

int stop_check_memory(struct thread *t)
{
	char byte;

	if (t->state == THREAD_STOPPED && memory_read(t->of, cpu_pc(&t->regs), &byte, 1) == -ESRCH)
		t->executed = t->of->executed = true;
	return t->executed ? -EINTR : 0;
}

void stop_release(struct thread *t)
{
	struct injection *i = t->of;
	struct patience p;

	if (t->state == THREAD_CALLING || t->state == THREAD_ASKED) {
		/* Only a stopped one can be detached. */
		patience_start(&p, t->state == THREAD_CALLING ? i->stop_ms : 0);
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		if (stop_wait(t, &p) == -ETIMEDOUT)
			i->lingering = true;
	}
	if (t->state == THREAD_STOPPED)
		ptrace(PTRACE_DETACH, t->tid, 0, (long)t->signal);
	for (size_t k = 0; k < i->threads.count; k++)
		if (i->threads.items[k] == t) {
			i->threads.items[k] = vector_last(&i->threads);
			i->threads.count--;
			break;
		}
	free(t->saved.xstate);
	free(t);
}
