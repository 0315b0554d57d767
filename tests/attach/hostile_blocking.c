/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that are blocked in the kernel nearly always: one kind for each way of being blocked.  A call
 * that comes back too early, with another result or with EINTR is found and counted.
 *
 * What ends a call comes from a helper process, so that it works with a single thread too. */
#include "tests/attach/hostile.h"
#include "tests/attach/blocking.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct blocking_call *find_call(const char *name)
{
	static const struct blocking_call *const lists[] = { blocking_time, blocking_files, blocking_ipc };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct blocking_call *call = lists[i]; call->name; call++)
			if (strcmp(call->name, name) == 0)
				return call;
	return NULL;
}

static void blocking_helper(struct worker *w)
{
	struct blocking *b = w->private;

	while (!hostile_stopped()) {
		hostile_sleep_us(BLOCKING_US);
		b->call->feed(b);
	}
	/* The last call has an end too. */
	for (int i = 0; i < 10; i++) {
		hostile_sleep_us(BLOCKING_US);
		b->call->feed(b);
	}
}

static void blocking_setup(struct worker *w)
{
	struct blocking *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	b->call = w->argument ? find_call(w->argument) : NULL;
	if (!b->call)
		exit(2);
	w->private = b;
	if (b->call->setup && b->call->setup(b) != 0)
		exit(77);
	if (b->call->feed)
		hostile_helper(blocking_helper, w);
}

static void blocking_work(struct worker *w)
{
	struct blocking *b = w->private;
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		uint64_t start = hostile_now_us(), took;
		long result;

		errno = 0;
		result = b->call->block(b);
		took = hostile_now_us() - start;
		if (result == -1 && errno == EINTR)
			atomic_fetch_add(&board->interrupted, 1);
		if (result != b->call->want)
			hostile_wrong("%s: %ld, errno %d", b->call->name, result, errno);
		if (took < b->call->least_us)
			hostile_wrong("%s: only %lu us", b->call->name, (unsigned long)took);
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
}

static void blocking_finish(struct worker *w)
{
	struct blocking *b = w->private;

	if (b->call->finish)
		b->call->finish(b);
}

const struct worker_kind blocking_workers[] = {
	{ "block", blocking_setup, blocking_work, blocking_finish },
	{ NULL, NULL, NULL, NULL },
};
