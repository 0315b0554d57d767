/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A7: the program replaces dl_iterate_phdr, which it lets allocate and look symbols up. */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

typedef int each_fn(struct dl_phdr_info *, size_t, void *);
typedef int iterate_fn(each_fn *, void *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* With a lock of the program around it, as code that caches the list does. */
int dl_iterate_phdr(each_fn *each, void *data)
{
	static iterate_fn *real;
	int result;

	pthread_mutex_lock(&lock);
	if (!real)
		real = (iterate_fn *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
	free(malloc(717));
	dlsym(RTLD_DEFAULT, "missing");
	result = real(each, data);
	pthread_mutex_unlock(&lock);
	return result;
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info, (void)size;
	++*(int *)data;
	free(malloc(718));	/* with the loader's lock held */
	return 0;
}

int main(void)
{
	void *frames[8], *block = malloc(719);
	int objects = 0;

	dl_iterate_phdr(count, &objects);
	CHECK(objects > 1);
	CHECK(backtrace(frames, 8) > 0);
	free(block);
	return hazard_done();
}
