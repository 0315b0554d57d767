/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that load and unload libraries.  A static program has none. */
#include "tests/attach/hostile.h"

#ifdef HOSTILE_STATIC

const struct worker_kind loader_workers[] = { { NULL, NULL, NULL, NULL } };

#else

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The argument is the library; it has a function that takes and gives blocks (plugin.c). */
static void loader_work(struct worker *w)
{
	char path[4096];

	/* "/" begins an argument, so the path's own is missing. */
	path[0] = '/';
	strncpy(path + 1, w->argument ? w->argument : "", sizeof(path) - 2);
	path[sizeof(path) - 1] = '\0';
	while (!hostile_stopped()) {
		void *library = dlopen(w->argument ? path : "libresolv.so.2", RTLD_NOW);
		int (*function)(int);

		if (!library) {
			hostile_wrong("dlopen: %s", dlerror());
			return;
		}
		*(void **)&function = dlsym(library, "plugin_sum");
		if (w->argument && (!function || function(100) != 4950))
			hostile_wrong("the library's function is not what it was");
		dlclose(library);
		hostile_progress(w);
	}
}

const struct worker_kind loader_workers[] = {
	{ "load", NULL, loader_work, NULL },
	{ NULL, NULL, NULL, NULL },
};

#endif
