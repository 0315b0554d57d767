/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A1: memory from before main, and from inside look-ups that fail, is resized and freed later. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hazards/hazard.h"

static char *from_resolver, *from_preinit, *from_constructor;

typedef int answer_fn(void);

static int answer(void)
{
	return 42;
}

/* Runs while the program is being relocated. */
static answer_fn *choose(void)
{
	from_resolver = malloc(1111);
	return answer;
}

int chosen(void) __attribute__((ifunc("choose")));

static void preinit(int argc, char **argv, char **envp)
{
	(void)argc, (void)argv, (void)envp;
	from_preinit = calloc(1, 1212);
}

__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = preinit;

__attribute__((constructor(101))) static void early(void)
{
	from_constructor = malloc(1313);
	strcpy(from_constructor, "kept");
	CHECK(!dlsym(RTLD_NEXT, "no_such_symbol_early"));
}

/* dlsym and dlerror allocate, and free when the thread ends. */
static void *look_up(void *unused)
{
	for (int i = 0; i < 200; i++) {
		CHECK(!dlsym(RTLD_DEFAULT, "no_such_symbol"));
		CHECK(i % 2 || dlerror());
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, look_up, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(chosen() == 42);
	from_constructor = realloc(from_constructor, 131313);
	CHECK(strcmp(from_constructor, "kept") == 0);
	free(from_constructor);
	free(from_preinit);
	free(from_resolver);
	return hazard_done();
}
