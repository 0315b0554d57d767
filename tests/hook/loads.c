/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads allocators when it is told to, or makes threads, by a letter on stdin, and says how often they were called.
 * 'h': fills the heap.
 *
 *	loads LIBRARY
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLS	300
#define SIZE	7777
#define MAKERS	3
#define THREADS	3000
#define TIMES	70	/* by its functions, more than two areas of stubs have room for */

typedef void *malloc_fn(size_t);
typedef void free_fn(void *);

static void *load(const char *path, int other_namespace)
{
	void *handle = other_namespace ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return handle;
}

static void use(void *handle, int calls)
{
	malloc_fn *its_malloc = (malloc_fn *)(uintptr_t)dlsym(handle, "malloc");
	free_fn *its_free = (free_fn *)(uintptr_t)dlsym(handle, "free");

	while (calls-- > 0)
		its_free(its_malloc(SIZE));
}

static long number(void *handle, const char *name)
{
	return *(long *)dlsym(handle, name);
}

static void one_library(const char *path)
{
	void *handle = load(path, 0);

	use(handle, CALLS);
	printf("%ld %ld\n", number(handle, "library_allocations"), number(handle, "library_frees"));
	dlclose(handle);
}

static void other_libc(void)
{
	use(load("libc.so.6", 1), CALLS);
	printf("%d %d\n", CALLS, CALLS);
}

/* Each time at another address: a page stays where the library's first one was. */
static void many_times(const char *path)
{
	long allocations = 0, frees = 0;

	for (int i = 0; i < TIMES; i++) {
		void *handle = load(path, 0);
		uintptr_t at = *(uintptr_t *)handle;

		use(handle, 1);
		allocations += number(handle, "library_allocations");
		frees += number(handle, "library_frees");
		dlclose(handle);
		mmap((void *)at, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	printf("%ld %ld\n", allocations, frees);
}

static void *one_block(void *unused)
{
	free(malloc(SIZE));
	return unused;
}

static void *one_by_one(void *unused)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, one_block, NULL) || pthread_join(thread, NULL))
			abort();
	}
	return unused;
}

/* More than there are slots for at a time. */
static void threads(void)
{
	pthread_t makers[MAKERS];

	for (int i = 0; i < MAKERS; i++)
		if (pthread_create(&makers[i], NULL, one_by_one, NULL))
			abort();
	for (int i = 0; i < MAKERS; i++)
		pthread_join(makers[i], NULL);
	printf("%d %d\n", MAKERS * THREADS, MAKERS * THREADS);
}

static void heap(void)
{
	for (int i = 0; i < 50000; i++)
		if (!malloc(1000))
			abort();
	puts("50000 blocks");
}

int main(int count, char **arguments)
{
	char c;

	if (count < 2)
		return 2;
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) == 1) {
		if (c == 'o')
			one_library(arguments[1]);
		else if (c == 'n')
			other_libc();
		else if (c == 'm')
			many_times(arguments[1]);
		else if (c == 'h')
			heap();
		else if (c == 't')
			threads();
		fflush(stdout);
	}
	return 0;
}
