/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B11: 2,400 short threads that touch a library's thread-local memory, which the loader allocates
 * and frees again after the thread's destructors have run; nothing may pile up. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static char *(*touch)(void);

static void *visit(void *unused)
{
	touch();
	return unused;
}

static long resident_kib(void)
{
	FILE *in = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (in && fgets(line, sizeof(line), in))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kib = atol(line + 8);
	if (in)
		fclose(in);
	return kib;
}

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

static void round_of_eight(void)
{
	pthread_t threads[8];
	int started = 0;

	while (started < 8 && pthread_create(&threads[started], NULL, visit, NULL) == 0)
		started++;
	CHECK(started == 8);
	while (started)
		pthread_join(threads[--started], NULL);
}

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
	long kib = 0;
	int files = 0;

	CHECK(library);
	touch = library ? (char *(*)(void))dlsym(library, "touch") : NULL;
	for (int round = 0; touch && round < 300; round++) {
		if (round == 10)
			kib = resident_kib(), files = descriptors();
		round_of_eight();
		usleep(2000);	/* whoever takes notice of ended threads may take a moment */
	}
	CHECK(resident_kib() - kib < 8192);
	CHECK(descriptors() == files);
	return hazard_done();
}
