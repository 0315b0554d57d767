/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* opener LIBRARY: a C program, without libstdc++, that opens a C++ library, again and again. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 20

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		void *library = dlopen(argv[argc - 1], RTLD_NOW | (i % 2 ? RTLD_DEEPBIND : 0));
		int (*run)(void) = library ? (int (*)(void))dlsym(library, "opened_run") : NULL;

		if (!run) {
			printf("%s\n", dlerror());
			return 1;
		}
		sum += run();
		dlclose(library);
	}
	printf("sum %d\n", sum);
	printf("expect new 6001 %d\nexpect new[] 6002 %d\nexpect new[] 6003 %d\n", ROUNDS, ROUNDS, ROUNDS);
	printf("live 6001 0\nlive 6002 0\nlive 6003 0\nframes new 6001 ^opened_run;main;\n");
	return 0;
}
