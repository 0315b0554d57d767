/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the hook and naming it so that LD_PRELOAD can carry it. */
#include "launcher/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define HOOK_FILE	"memtrack.so"

/* Blanks and colons separate libraries, '$' begins a token such as $LIB. */
#define SPECIAL		" :$\t\n;"

static char *own_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return xstrdup(".");
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return xstrdup(path);
}

int preload_find(struct preload *preload)
{
	const char *given = getenv("MEMTRACK_HOOK");
	char *folder = own_folder();
	char *places[] = {
		xasprintf("%s/" HOOK_FILE, folder),
		xasprintf("%s/../lib/memtrack/" HOOK_FILE, folder),
		xstrdup(PKGLIBDIR "/" HOOK_FILE),
	};
	size_t count = sizeof(places) / sizeof(*places);

	*preload = (struct preload){ 0 };
	if (given && *given)
		preload->hook = realpath(given, NULL);
	for (size_t i = 0; !given && i < count && !preload->hook; i++)
		if (access(places[i], R_OK) == 0)
			preload->hook = realpath(places[i], NULL);
	for (size_t i = 0; i < count; i++)
		free(places[i]);
	free(folder);
	return preload->hook ? 0 : -ENOENT;
}

static int link_in(struct preload *preload, const char *parent)
{
	char *directory = xasprintf("%s/memtrack-XXXXXX", parent);
	int rc = 0;

	if (!mkdtemp(directory)) {
		rc = -errno;
		free(directory);
		return rc;
	}
	preload->directory = directory;
	preload->name = xasprintf("%s/" HOOK_FILE, directory);
	if (symlink(preload->hook, preload->name) < 0) {
		rc = -errno;
		preload_release(preload);
	}
	return rc;
}

int preload_prepare(struct preload *preload)
{
	const char *parent = getenv("TMPDIR");

	if (!strpbrk(preload->hook, SPECIAL)) {
		preload->name = xstrdup(preload->hook);
		return 0;
	}
	if (!parent || *parent != '/' || strpbrk(parent, SPECIAL))
		parent = "/tmp";
	return link_in(preload, parent);
}

char *preload_value(const struct preload *preload, const char *users)
{
	if (!users || !*users)
		return xstrdup(preload->name);
	return xasprintf("%s:%s", preload->name, users);
}

void preload_release(struct preload *preload)
{
	if (preload->directory) {
		unlink(preload->name);
		rmdir(preload->directory);
	}
	free(preload->directory);
	free(preload->name);
	free(preload->hook);
	*preload = (struct preload){ 0 };
}
