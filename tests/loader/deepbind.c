/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deepbind LIBRARY [own]: a library that binds malloc straight to libc, on one side of every
 * pair.  Prints the access rights of its pages, which must be the same when traced. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 500

static void print_rights(const char *library)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], rights[5];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, strrchr(library, '/') + 1) && sscanf(line, "%*s %4s", rights) == 1)
			printf("%s ", rights);
	printf("\n");
	if (maps)
		fclose(maps);
}

static void use(void *library)
{
	void *(*make)(size_t) = (void *(*)(size_t))dlsym(library, "plugin_make");
	void (*unmake)(void *) = (void (*)(void *))dlsym(library, "plugin_unmake");
	void (*pointer)(void *) = (void (*)(void *))dlsym(library, "plugin_pointer");
	char *(*string)(void) = (char *(*)(void))dlsym(library, "plugin_string");

	for (int i = 0; i < ROUNDS; i++) {
		free(make(101));
		unmake(malloc(51));
		pointer(malloc(52));
		free(string());
	}
	printf("expect malloc 101 %d\nframes malloc 101 ^plugin_make;use;main;\n", ROUNDS);
	printf("expect malloc 51 %d\nexpect malloc 52 %d\n", ROUNDS, ROUNDS);
	printf("expect strdup 13 %d\nframes strdup 13 ^plugin_string;use;main;\n", ROUNDS);
	printf("live 101 0\nlive 51 0\nlive 52 0\nlive 13 0\n");
}

/* What the library has of its own stays its own. */
static int use_own(void *library)
{
	void *(*make)(size_t) = (void *(*)(size_t))dlsym(library, "plugin_make");
	void (*unmake)(void *) = (void (*)(void *))dlsym(library, "plugin_unmake");
	int (*owns)(const void *) = (int (*)(const void *))dlsym(library, "plugin_owns");
	int right = 0;

	for (int i = 0; i < 10; i++) {
		void *p = make(101);

		right += owns(p);
		unmake(p);
	}
	printf("%d of 10 blocks are its own\nexpect malloc 101 0\n", right);
	return right == 10 ? 0 : 1;
}

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], (strstr(argv[1], "lazy") ? RTLD_LAZY : RTLD_NOW) | RTLD_DEEPBIND);
	int status = 0;

	if (!library) {
		printf("%s\n", dlerror());
		return 1;
	}
	print_rights(argv[1]);
	if (argc > 2)
		status = use_own(library);
	else
		use(library);
	print_rights(argv[1]);
	dlclose(library);
	printf("expect malloc 4111 %d\nlive 4111 0\n", argc > 2 ? 0 : 1);
	return status;
}
