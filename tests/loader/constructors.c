/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* constructors LIBRARY...: libraries whose constructor waits for a thread that allocates, or that take
 * of the static TLS block that is left; all must load as they do untraced. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int loaded = 0;

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*count)(void) = library ? (int (*)(void))dlsym(library, "constructor_count") : NULL;

		if (!library)
			printf("%s\n", dlerror());
		loaded += library != NULL;
		if (count)
			printf("expect malloc 8001 %d\nlive 8001 0\n", count());
	}
	printf("%d loaded\n", loaded);
	return 0;
}
