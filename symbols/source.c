/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding a module's file: through the process while it lives, then by name, then by sysroot. */
#include "symbols/source.h"

#include "base/alloc.h"
#include "symbols/elf_internal.h"
#include "symbols/living.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DELETED	" (deleted)"

struct attempt {
	const struct symbol_source *source;
	struct elf_file *file;
	char *path;
	enum symbol_state state;	/* the most telling failure so far */
};

char *symbol_source_path(const struct symbol_source *s)
{
	size_t len = s->path ? strlen(s->path) : 0, cut = strlen(DELETED);

	if (len == 0)
		return NULL;
	if (len > cut && strcmp(s->path + len - cut, DELETED) == 0)
		len -= cut;
	return xstrndup(s->path, len);
}

char *symbol_source_root(const struct symbol_source *s)
{
	return s->pid > 0 ? xasprintf("/proc/%d/root", (int)living_proc(s->pid)) : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Another object may have taken the address since the maps were read.  Mapped as libx.so.1.2, it may have been
 * asked for as libx.so.1. */
static bool has_name(const struct elf_file *f, const char *path)
{
	const char *asked = base_name(path), *opened;
	char link[32], target[PATH_MAX];
	size_t length = strlen(asked);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	opened = base_name(target);
	return !strncmp(asked, opened, length < strlen(opened) ? length : strlen(opened));
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static bool is_loaded_file(const struct symbol_source *s, const struct elf_file *f, bool by_kernel)
{
	struct stat st;

	/* The hook's room for an id is limited: a long one may come cut. */
	if (s->build_id_len > 0)
		return (f->facts.build_id_len == s->build_id_len ||
			(f->facts.build_id_len > s->build_id_len && s->build_id_len >= 32)) &&
		       memcmp(f->facts.build_id, s->build_id, s->build_id_len) == 0;
	if (by_kernel)
		return s->executable || !s->path || has_name(f, s->path);
	if (s->inode == 0 && s->since.tv_sec == 0)
		return true;
	if (fstat(f->fd, &st) < 0)
		return false;
	/* A rename is a change of the inode, too. */
	return s->inode ? (uint64_t)st.st_ino == s->inode : !is_later(&st.st_ctim, &s->since);
}

/* Takes path over.  by_kernel: the path leads to the mapped file whatever its name is now. */
static bool try_file(struct attempt *a, char *path, bool by_kernel)
{
	struct elf_file *f;
	int error = elf_file_open(path, &f);

	if (error == 0) {
		if (is_loaded_file(a->source, f, by_kernel)) {
			a->file = f;
			a->path = path;
			a->state = SYMBOL_MODULE_OK;
			return true;
		}
		elf_file_close(f);
		a->state = SYMBOL_MODULE_CHANGED;
	} else if (error == -ENOEXEC && a->state == SYMBOL_MODULE_MISSING) {
		a->state = SYMBOL_MODULE_DAMAGED;
	}
	free(path);
	return false;
}

static bool try_process(struct attempt *a, const char *path)
{
	const struct symbol_source *s = a->source;
	int pid = s->pid > 0 ? (int)living_proc(s->pid) : 0;

	if (pid <= 0)
		return false;
	return (s->map_end > s->map_start &&
		try_file(a, xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, s->map_start,
				      s->map_end), true)) ||
	       (s->executable && try_file(a, xasprintf("/proc/%d/exe", pid), true)) ||
	       (path && path[0] == '/' && try_file(a, xasprintf("/proc/%d/root%s", pid, path), false));
}

static bool try_sysroots(struct attempt *a, const char *path)
{
	const char *dirs = a->source->symbols_from ? a->source->symbols_from : "";
	const char *base = strrchr(path, '/');
	bool done = false;

	base = base ? base + 1 : path;
	while (*dirs && !done) {
		int n = (int)strcspn(dirs, ":");

		/* A sysroot is another installation: without a build-id nothing tells that it fits. */
		if (n > 0 && a->source->build_id_len > 0)
			done = try_file(a, xasprintf("%.*s/%s", n, dirs, path), false) ||
			       try_file(a, xasprintf("%.*s/%s", n, dirs, base), false);
		dirs += n + (dirs[n] == ':');
	}
	return done;
}

int symbol_source_open(const struct symbol_source *s, struct elf_file **file, char **found, enum symbol_state *state)
{
	struct attempt a = { .source = s, .state = SYMBOL_MODULE_MISSING };
	char *path = symbol_source_path(s);
	bool done = try_process(&a, path) || (path && (try_file(&a, xstrdup(path), false) ||
						       try_sysroots(&a, path)));

	free(path);
	*state = a.state;
	if (!done)
		return -ENOENT;
	*file = a.file;
	*found = a.path;
	return 0;
}
