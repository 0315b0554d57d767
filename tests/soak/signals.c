/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timer signals whose handlers allocate, and sometimes jump out of what they interrupt. */
#include "tests/soak/soak.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define STACK_BYTES 65536u

static __thread char *stack;

static void add(struct shadow_cell *cell, uint64_t bytes)
{
	atomic_fetch_add(&cell->count, 1);
	atomic_fetch_add(&cell->bytes, bytes);
}

static bool is_release(int op)
{
	switch (op) {
	case OP_FREE: case OP_DELETE: case OP_DELETE_SZ: case OP_DELETE_AL:
	case OP_DELETEA: case OP_DELETEA_SZ: case OP_DELETEA_AL:
		return true;
	default:
		return false;
	}
}

/* What is left by a jump may be in the trace or not: an allocation if it was done, and so
 * counted; a release if it was not, since it is recorded before it is done. */
static void leave(void)
{
	bool done = shadow_self()->calls != worker.calls;
	enum op op = (enum op)worker.op;

	if (!op || done == is_release(worker.op))
		return;
	add(&shadow()->left[op], worker.bytes);
	if (op == OP_REALLOC || op == OP_REALLOCARRAY)
		add(&shadow()->left[OP_REALLOC_FREE], worker.old_bytes);
	if (op == OP_MREMAP)
		add(&shadow()->left[OP_MREMAP_UNMAP], worker.old_bytes);
}

static void allocate(void)
{
	uint64_t *state = &worker.handler_random;
	char *volatile p = malloc(24 + random_below(state, 400));
	char *volatile copy = strdup("from a handler");

	p = realloc(p, 24 + random_below(state, 900));
	free(copy);
	free(p);
}

static void handle(int signal)
{
	struct shadow_self *self = shadow_self(), before = *self;
	bool inside = worker.op || worker.locked || !worker.random;
	int saved = errno;

	(void)signal;
	atomic_fetch_add(&shadow()->signals, 1);
	if (inside && (!options.wild || !worker.random))
		goto out;
	self->nested = inside;
	self->silent = self->silent_free = 0;
	allocate();
	self->calls = before.calls;
	self->nested = before.nested;
	self->silent = before.silent;
	self->silent_free = before.silent_free;
	if (worker.may_jump && !worker.locked && random_below(&worker.handler_random, 4) == 0) {
		leave();
		atomic_fetch_add(&shadow()->jumps, 1);
		siglongjmp(worker.jump, 1);
	}
out:
	errno = saved;
}

static void tick(unsigned microseconds)
{
	struct itimerval timer = {
		.it_interval.tv_usec = (suseconds_t)microseconds,
		.it_value.tv_usec = (suseconds_t)microseconds,
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

void signals_start(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK };

	sigfillset(&action.sa_mask);
	sigdelset(&action.sa_mask, SIGABRT);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	tick(700 + options.generation * 300);
}

void signals_stop(void)
{
	tick(0);
}

void signals_block(bool block)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* Handlers of this thread run on a stack of their own, or no more. */
void signals_stack(bool use)
{
	stack_t alternate = { .ss_flags = SS_DISABLE };

	if (use) {
		worker.locked++;
		stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		worker.locked--;
		if (stack == MAP_FAILED)
			return;
		alternate = (stack_t){ .ss_sp = stack, .ss_size = STACK_BYTES };
		sigaltstack(&alternate, NULL);
	} else if (stack) {
		sigaltstack(&alternate, NULL);
		munmap(stack, STACK_BYTES);
		stack = NULL;
	}
}
