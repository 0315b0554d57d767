/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers, short threads, plugins, exceptions and names. */
#include "tests/soak/soak.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STEPS_CHURN 40

__thread struct worker worker;

static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t late_key;
static pthread_once_t late_once = PTHREAD_ONCE_INIT;

int cxx_throw(size_t n);

uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* No fork while somebody loads: a child could not load again. */
void loader_lock(void)
{
	worker.locked++;
	pthread_mutex_lock(&loader);
}

void loader_unlock(void)
{
	pthread_mutex_unlock(&loader);
	worker.locked--;
}

void plugins_step(void)
{
	static const char *const names[] = { "plugin.so", "plugin2.so", "plugin3.so" };
	unsigned n = random_below(&worker.random, 1000);
	char path[4096];
	int (*work)(unsigned), (*fail)(unsigned);
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", options.plugins, names[n % 3]);
	loader_lock();
	handle = dlopen(path, n & 1 ? RTLD_NOW : RTLD_LAZY);
	if (!handle) {
		complain(dlerror());
		goto out;
	}
	*(void **)&work = dlsym(handle, "plugin_work");
	*(void **)&fail = dlsym(handle, "plugin_throw");
	if (work(n) <= 0 || fail(n) != 1)
		complain("the plugin does not work");
	dlclose(handle);
out:
	loader_unlock();
}

/* A throw holds no lock, but a jump out of it would leave the exception behind. */
void throw_step(void)
{
	worker.locked++;
	if (cxx_throw(random_below(&worker.random, 1000)) != 1)
		complain("an impossible new succeeded");
	worker.locked--;
}

/* Destructors of thread-specific data allocate and free too. */
static void late(void *block)
{
	worker.locked++;
	free(block);
	free(malloc(77));
	worker.locked--;
}

static void late_make(void)
{
	pthread_key_create(&late_key, late);
}

static void rename_self(const char *prefix)
{
	char name[16];

	snprintf(name, sizeof(name), "%s (x) %u", prefix, random_below(&worker.random, 999));
	pthread_setname_np(pthread_self(), name);
	atomic_fetch_add(&shadow()->names, 1);
}

static void *churn(void *seed)
{
	uint64_t start = (uint64_t)(uintptr_t)seed;

	worker = (struct worker){ .random = start, .handler_random = ~start, .locked = 1 };
	pthread_once(&late_once, late_make);
	if (start & 1)
		pthread_setspecific(late_key, malloc(123));
	if (start & 2)
		rename_self("churn");
	for (int i = 0; i < STEPS_CHURN; i++)
		blocks_step();
	return NULL;
}

void churn_step(void)
{
	pthread_t thread[3];
	unsigned n = 1 + random_below(&worker.random, 3), made = 0;

	worker.locked++;
	while (made < n) {
		uintptr_t seed = random_next(&worker.random);

		if (pthread_create(&thread[made], NULL, churn, (void *)seed))
			break;
		made++;
	}
	while (made)
		pthread_join(thread[--made], NULL);
	worker.locked--;
}

static void step(void)
{
	unsigned what = random_below(&worker.random, 2000);

	if (what < 1900)
		blocks_step();
	else if (what < 1980)
		pages_step();
	else if (what < 1988)
		throw_step();
	else if (what < 1992)
		plugins_step();
	else if (what < 1996)
		churn_step();
	else
		rename_self("w");
}

/* A jump comes back here, out of whatever call it was.  The hook knows that the call is over by
 * the next one from no deeper a frame, or when its frame is overwritten: so there is one. */
void worker_run(uint64_t operations)
{
	volatile uint64_t left = operations;
	void *volatile p;

	if (sigsetjmp(worker.jump, 1)) {
		worker.op = 0;
		worker.may_jump = 0;
		worker.locked = 1;
		p = malloc(48);
		free(p);
		worker.locked = 0;
	}
	while (left && !stopping) {
		left--;
		worker.may_jump = 1;
		step();
	}
	worker.may_jump = 0;
}

void *worker_main(void *seed)
{
	uint64_t start = (uint64_t)(uintptr_t)seed;

	worker = (struct worker){ .random = start, .handler_random = ~start };
	signals_stack(start & 1);
	worker_run(options.operations);
	worker.locked = 1;
	signals_stack(false);
	return NULL;
}
