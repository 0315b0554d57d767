/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenarios of several threads. */
#include "tests/target/record.h"
#include "tests/target/scenarios.h"
#include "tests/target/workers.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t meeting;

NOINLINE static void *owner_take(size_t size)
{
	void *p = malloc(size);

	KEEP(p);
	record_alloc("malloc", p, size);
	return p;
}

NOINLINE static void stranger_give(void *p)
{
	record_release("free", p);
	free(p);
	NOT_A_TAIL_CALL();
}

static void *shared_block;

static void *owner_that_waits(void *unused)
{
	pthread_setname_np(pthread_self(), "owner");
	record_thread("owner");
	shared_block = owner_take(333);
	pthread_barrier_wait(&meeting);	/* there it is */
	pthread_barrier_wait(&meeting);	/* it was freed */
	return unused;
}

void scenario_cross_thread_free(void)
{
	pthread_t thread;

	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, owner_that_waits, NULL);
	pthread_barrier_wait(&meeting);
	record_frames(shared_block, "owner_take;owner_that_waits");
	stranger_give(shared_block);
	pthread_barrier_wait(&meeting);
	pthread_join(thread, NULL);
}

static void *owner_that_leaves(void *unused)
{
	pthread_setname_np(pthread_self(), "leaver");
	record_thread("leaver");
	shared_block = owner_take(444);
	return unused;
}

void scenario_free_after_exit(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, owner_that_leaves, NULL);
	pthread_join(thread, NULL);
	record_frames(shared_block, "owner_take;owner_that_leaves");
	stranger_give(shared_block);
}

void scenario_four_workers(void)
{
	static const char *const names[] = { "worker-1", "worker-2", "worker-3", "worker-4" };
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, worker_all_kinds, (void *)names[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	record_say("rounds", WORKER_ROUNDS);
}

static void *named_taker(void *name)
{
	void *p;

	pthread_setname_np(pthread_self(), name);
	record_thread(name);
	p = owner_take(555);
	record_frames(p, "owner_take;named_taker");
	stranger_give(p);
	return NULL;
}

/* The test asks for stacks of threads called "wanted" only. */
void scenario_stack_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, named_taker, (void *)"wanted-1");
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, named_taker, (void *)"other-1");
	pthread_join(thread, NULL);
}
