/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B14: libraries with initial-exec thread-local memory still find room in the static TLS block. */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

int main(int argc, char **argv)
{
	int loaded = 0;

	for (int i = 1; i < argc; i++) {
		if (dlopen(argv[i], RTLD_NOW))
			loaded++;
		else
			puts("no room");
		free(malloc(1414));
	}
	hazard_gate();
	for (int i = 0; i < 100; i++)
		free(malloc(1415));
	printf("%d of %d\n", loaded, argc - 1);
	return hazard_done();
}
