/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* epochs HOW A B: opens and closes two libraries in turns, which come to lie at the same address.
 * HOW hidden: closes by libc's own dlclose, which no wrapper sees; plain: by the program's. */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 20

static int (*close_library)(void *) = dlclose;

static uintptr_t run(const char *file, const char *name, size_t size)
{
	void *library = dlopen(file, RTLD_NOW);
	struct link_map *map = NULL;
	void *(*function)(size_t);
	uintptr_t base;

	if (!library) {
		printf("%s\n", dlerror());
		exit(1);
	}
	dlinfo(library, RTLD_DI_LINKMAP, &map);
	function = (void *(*)(size_t))dlsym(library, name);
	base = map->l_addr;
	function(size);
	function(size + 1);
	close_library(library);
	return base;
}

int main(int argc, char **argv)
{
	uintptr_t a = 0, b = 0;
	int same = 0;

	if (argc != 4)
		return 2;
	if (!strcmp(argv[1], "hidden"))
		close_library = (int (*)(void *))dlsym(dlopen("libc.so.6", RTLD_NOW), "dlclose");
	for (int i = 0; i < ROUNDS; i++) {
		a = run(argv[2], "leak_in_a", 1111);
		b = run(argv[3], "leak_in_b", 2222);
		same += a == b;
	}
	printf("at the same address: %s\n", same == ROUNDS ? "always" : "not always");
	printf("expect malloc 1111 %d\nexpect malloc 2222 %d\n", ROUNDS, ROUNDS);
	printf("live 1111 %d\nlive 2222 %d\n", ROUNDS, ROUNDS);
	printf("frames malloc 1111 ^leak_in_a;run;main;\nframes malloc 1112 ^leak_in_a;run;main;\n");
	printf("frames malloc 2222 ^leak_in_b;run;main;\nframes malloc 2223 ^leak_in_b;run;main;\n");
	return 0;
}
