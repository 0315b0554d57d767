/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracer thread, and its patience. */
#include "inject/tracer.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0 && errno == EINTR)
		;
}

static void *tracer_main(void *argument)
{
	struct injection *i = argument;

	/* The target waits for us: be at once where there are many busy threads.  Without the right to, so be it. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -20);
	/* Sleeps are to be as short as they are asked for. */
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);
	for (;;) {
		wait_for(&i->tracer.asked);
		if (!i->tracer.work)
			return NULL;
		i->tracer.result = i->tracer.work(i, i->tracer.argument);
		sem_post(&i->tracer.done);
	}
}

int tracer_start(struct injection *i)
{
	sigset_t all, before;
	int rc;

	sem_init(&i->tracer.asked, 0, 0);
	sem_init(&i->tracer.done, 0, 0);
	/* The program's signals are for its other threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&i->tracer.thread, NULL, tracer_main, i);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	i->tracer.running = rc == 0;
	if (rc) {
		sem_destroy(&i->tracer.asked);
		sem_destroy(&i->tracer.done);
	}
	return -rc;
}

void tracer_stop(struct injection *i)
{
	if (!i->tracer.running)
		return;
	i->tracer.running = false;
	i->tracer.work = NULL;
	sem_post(&i->tracer.asked);
	pthread_join(i->tracer.thread, NULL);
	sem_destroy(&i->tracer.asked);
	sem_destroy(&i->tracer.done);
}

int tracer_do(struct injection *i, tracer_fn *work, void *argument)
{
	if (!i->tracer.running)
		return -EAGAIN;
	if (pthread_equal(pthread_self(), i->tracer.thread))
		return work(i, argument);
	i->tracer.work = work;
	i->tracer.argument = argument;
	sem_post(&i->tracer.asked);
	wait_for(&i->tracer.done);
	return i->tracer.result;
}

void patience_start(struct patience *p, int milliseconds)
{
	clock_gettime(CLOCK_MONOTONIC, &p->end);
	p->end.tv_sec += milliseconds / 1000;
	p->end.tv_nsec += milliseconds % 1000 * 1000000l;
	if (p->end.tv_nsec >= 1000000000l) {
		p->end.tv_sec++;
		p->end.tv_nsec -= 1000000000l;
	}
	p->turns = 0;
}

bool patience_over(const struct patience *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > p->end.tv_sec || (now.tv_sec == p->end.tv_sec && now.tv_nsec >= p->end.tv_nsec);
}

bool patience_wait(struct patience *p)
{
	struct timespec nap = { 0, 10000 };

	if (p->turns++ < 8) {
		sched_yield();
		return true;
	}
	if (patience_over(p))
		return false;
	nap.tv_nsec <<= p->turns < 48 ? p->turns / 8 : 6;
	nanosleep(&nap, NULL);
	return true;
}
