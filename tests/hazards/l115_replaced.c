/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L115: l115_replaced stays|gone LIBRARY OTHER: a library whose file is replaced by another one before
 * its leak().  It stays until memtrack has opened it, or is gone before memtrack sees any of it. */
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct timespec a_while = { .tv_nsec = 2000000 };

/* memtrack, which started us, has a file open whose path holds `name`. */
static int is_opened(const char *name)
{
	char path[300], link[4200];
	struct dirent *e;
	int found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)getppid());
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", (int)getppid(), e->d_name);
		n = readlink(path, link, sizeof(link) - 1);
		link[n < 0 ? 0 : n] = '\0';
		found = strstr(link, name) != NULL;
	}
	if (dir)
		closedir(dir);
	return found;
}

static void wait_for(const char *name)
{
	for (int i = 0; i < 10000 && !is_opened(name); i++)
		nanosleep(&a_while, NULL);
}

/* Until a change of a file has another time than the last one. */
static void wait_for_clock(void)
{
	struct timespec before, now;

	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	do {
		nanosleep(&a_while, NULL);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	} while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
}

int main(int argc, char **argv)
{
	void *library;
	void (*leak)(void);
	char program[4096];
	ssize_t n;
	int gone;

	if (argc != 4)
		return 2;
	gone = strcmp(argv[1], "gone") == 0;
	free(malloc(1151));
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[n < 0 ? 0 : n] = '\0';
	wait_for(program);
	wait_for_clock();
	if (gone)
		kill(getppid(), SIGSTOP);
	library = dlopen(argv[2], RTLD_NOW);
	leak = library ? (void (*)(void))dlsym(library, "leak") : NULL;
	if (rename(argv[3], argv[2]) || !leak)
		return 1;
	leak();
	if (gone) {
		dlclose(library);
		kill(getppid(), SIGCONT);
	} else {
		wait_for(strrchr(argv[2], '/'));
	}
	return 0;
}
