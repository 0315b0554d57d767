/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lookups LIBRARY: functions got from the loader by hand; a library found by the program's own run
 * path; a second C library in a namespace of its own; the hook itself closed by name. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 100

static void by_hand(void)
{
	void *(*make)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc");
	void *(*next)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	void (*old_free)(void *) = (void (*)(void *))dlvsym(RTLD_DEFAULT, "cfree", "GLIBC_2.2.5");

	for (int i = 0; i < ROUNDS; i++) {
		free(make(1001));
		free(next(1, 1002));
		if (old_free)
			old_free(malloc(1003));
		else
			free(malloc(1003));
	}
	printf("expect malloc 1001 %d\nexpect calloc 1002 %d\nexpect malloc 1003 %d\n", ROUNDS, ROUNDS, ROUNDS);
	printf("live 1001 0\nlive 1002 0\nlive 1003 0\nframes malloc 1001 ^by_hand;main;\n");
}

/* Unseen by design: it is another heap.  What it does to the address space must not matter. */
static void other_namespace(const char *file)
{
	void *library = dlmopen(LM_ID_NEWLM, file, RTLD_NOW);
	void *(*make)(size_t) = library ? (void *(*)(size_t))dlsym(library, "plugin_make") : NULL;
	void (*unmake)(void *) = library ? (void (*)(void *))dlsym(library, "plugin_unmake") : NULL;
	void *large[4];

	if (!make || !unmake) {
		printf("%s\n", dlerror());
		exit(1);
	}
	for (int i = 0; i < ROUNDS; i++) {
		unmake(make(1101));
		free(malloc(1102));
		sbrk(64);
	}
	for (int i = 0; i < 4; i++)
		large[i] = make(1 << 20);
	for (int i = 0; i < 4; i++)
		unmake(large[i]);
	for (int i = 0; i < ROUNDS; i++)
		munmap(mmap(NULL, 12288, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 12288);
	printf("expect malloc 1101 0\nexpect malloc 1102 %d\nlive 1102 0\n", ROUNDS);
	printf("expect mmap 12288 %d\nexpect mmap 1052672 0\nexpect sbrk 64 %d\n", ROUNDS, ROUNDS);
}

/* As an agent that unloads what it does not know. */
static void close_hook(void)
{
	struct link_map *map = NULL;

	dlinfo(dlopen(NULL, RTLD_NOW), RTLD_DI_LINKMAP, &map);
	while (map && !strstr(map->l_name, "memtrack.so"))
		map = map->l_next;
	for (int i = 0; map && i < 4; i++)
		dlclose(dlopen(map->l_name, RTLD_NOW | RTLD_NOLOAD));
	for (int i = 0; i < ROUNDS; i++)
		free(malloc(1201));
	printf("expect malloc 1201 %d\nlive 1201 0\n", ROUNDS);
}

int main(int argc, char **argv)
{
	void *library = dlopen("libmemtrack-test-private.so", RTLD_NOW);

	if (argc != 2)
		return 2;
	printf("by run path: %s\n", library ? "found" : dlerror());
	by_hand();
	other_namespace(argv[1]);
	close_hook();
	return 0;
}
