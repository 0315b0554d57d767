/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linked with its own copy of the C++ runtime, as -static-libstdc++ does; gives objects to a
 * library that has the shared one, and takes some from it. */
#include <dlfcn.h>
#include <stdio.h>

struct gift {
	long a[5];
};

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
	void (*drop)(gift *) = library ? (void (*)(gift *))dlsym(library, "plugin_drop") : NULL;
	gift *(*make)() = library ? (gift *(*)())dlsym(library, "plugin_make") : NULL;

	if (!drop || !make)
		return 1;
	for (int i = 0; i < 5; i++)
		drop(new gift);
	for (int i = 0; i < 5; i++)
		delete make();
	puts("done");
	return 0;
}
