/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D33: handlers that allocate on alternate stacks that leave them 2 KiB (MINSIGSTKSZ), in the main and another thread. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

#define GUARD 4096

static volatile int handled;

static void allocate(int signal)
{
	void *volatile block = malloc(33);

	(void)signal;
	block = realloc(block, 333);
	free(block);
	handled++;
}

/* The memory below the stack must not be touched: it is not there. */
static void *stack_new(size_t size)
{
	char *pages = mmap(NULL, GUARD + 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages, GUARD, PROT_NONE);
	CHECK(size <= 16384);
	return pages + GUARD;
}

/* 2 KiB for the handler; what the kernel puts there grows with the CPU's registers. */
static size_t smallest(void)
{
	return 2048 + getauxval(AT_MINSIGSTKSZ);
}

static void *use_small_stack(void *unused)
{
	stack_t stack = { .ss_sp = stack_new(smallest()), .ss_size = smallest() };

	free(realloc(malloc(3333), 3334));	/* lazy binding needs more room than a handler has */
	CHECK(sigaltstack(&stack, NULL) == 0);
	for (int i = 0; i < 100; i++)
		pthread_kill(pthread_self(), SIGUSR1);
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = allocate, .sa_flags = SA_ONSTACK };
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	use_small_stack(NULL);
	pthread_create(&thread, NULL, use_small_stack, NULL);
	pthread_join(thread, NULL);
	CHECK(handled == 200);
	return hazard_done();
}
