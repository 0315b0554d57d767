/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* churn ROUNDS LIBRARY...: opens, uses and closes libraries while other threads allocate. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 3

static _Atomic int over;
static _Atomic unsigned long calls;

static void *nested(unsigned depth)
{
	void *volatile p = depth ? nested(depth - 1) : malloc(333);

	return p;
}

static void *work(void *argument)
{
	unsigned i = 0;

	while (!over) {
		free(nested(i++ % 20));
		calls++;
		if (i % 64 == 0)
			usleep(200);
	}
	return argument;
}

static void use(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	void *(*function)(size_t) = library ? (void *(*)(size_t))dlsym(library, "leaf") : NULL;

	if (!function) {
		printf("%s\n", dlerror());
		exit(1);
	}
	for (int i = 0; i < 5; i++)
		free(function(444));
	dlclose(library);
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];
	int rounds = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < rounds; i++)
		for (int n = 2; n < argc; n++)
			use(argv[n]);
	over = 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "expect malloc 333 %lu\n", calls);
	printf("expect malloc 444 %d\nlive 444 0\nlive 333 0\n", rounds * (argc - 2) * 5);
	printf("frames malloc 444 ^leaf;use;main;\nframes malloc 333 ^nested;.*work;\n");
	return 0;
}
