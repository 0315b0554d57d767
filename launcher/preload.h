/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where memtrack.so is, and how LD_PRELOAD can name it. */
#ifndef LAUNCHER_PRELOAD_H
#define LAUNCHER_PRELOAD_H

struct preload {
	char *hook;		/* the library's own path */
	char *name;		/* the path to preload: hook, or a symlink to it */
	char *directory;	/* private one of the symlink, or NULL */
};

/* Finds the hook: $MEMTRACK_HOOK, beside the executable (a build tree), ../lib/memtrack beside
 * its folder, PKGLIBDIR.  0, or -ENOENT, -errno. */
int preload_find(struct preload *preload);

/* Makes sure that name holds nothing at which the dynamic linker splits or expands.  0 or -errno. */
int preload_prepare(struct preload *preload);

/* The value of LD_PRELOAD with the hook before the user's own libraries.  For the caller to free. */
char *preload_value(const struct preload *preload, const char *users);

/* Removes the symlink, if any. */
void preload_release(struct preload *preload);

#endif
