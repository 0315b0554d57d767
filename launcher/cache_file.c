/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owner and mode of directory and files; reading, replacing, removing. */
#include "launcher/cache_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vector.h"
#include "launcher/symbol_cache.h"

#define HALF_MADE	".new-"		/* a file being written */
#define HALF_MADE_S	3600		/* and left behind by a session that was killed */

struct found {
	char *name;
	time_t used;
	uint64_t bytes;
};

static bool only_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* The place for caches, without a slash at its end; NULL: none. */
static char *caches(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return xstrdup(cache);
	return home && *home == '/' ? xasprintf("%s/.cache", home) : NULL;
}

int symbol_cache_directory(void)
{
	char *parent = caches(), *path = parent ? xasprintf("%s/memtrack", parent) : NULL;
	struct stat st;
	int fd = -1;

	if (path) {
		if (mkdir(path, 0700) < 0 && errno == ENOENT && mkdir(parent, 0700) == 0)
			mkdir(path, 0700);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd >= 0 && (fstat(fd, &st) < 0 || !only_ours(&st))) {
		close(fd);
		fd = -1;
	}
	free(path);
	free(parent);
	return fd;
}

static int read_all(int fd, size_t length, struct buffer *out)
{
	buffer_reserve(out, length);
	while (length) {
		ssize_t n = read(fd, out->data + out->length, length);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		out->length += (size_t)n;
		length -= (size_t)n;
	}
	return 0;
}

int cache_file_read(int directory, const char *name, uint64_t most, struct buffer *out)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode) || !only_ours(&st))
		rc = -EPERM;
	else if ((uint64_t)st.st_size > most)
		rc = -EFBIG;
	else
		rc = read_all(fd, (size_t)st.st_size, out);
	if (!rc)
		futimens(fd, NULL);	/* its time says when it was used */
	close(fd);
	return rc;
}

int cache_file_write(int directory, const char *name, const struct buffer *data)
{
	char *fresh = xasprintf(HALF_MADE "%d-%s", (int)getpid(), name);
	int fd = openat(directory, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : buffer_write(data, fd);

	if (fd >= 0 && close(fd) < 0 && !rc)
		rc = -errno;
	if (!rc && renameat(directory, fresh, directory, name) < 0)
		rc = -errno;
	if (rc && fd >= 0)
		unlinkat(directory, fresh, 0);
	free(fresh);
	return rc;
}

static int older(const void *left, const void *right)
{
	const struct found *a = left, *b = right;

	return a->used < b->used ? -1 : a->used > b->used;
}

/* What a killed session left goes at once. */
static bool half_made(int directory, const char *name, const struct stat *st)
{
	if (strncmp(name, HALF_MADE, strlen(HALF_MADE)))
		return false;
	if (time(NULL) - st->st_mtime > HALF_MADE_S)
		unlinkat(directory, name, 0);
	return true;
}

void cache_file_bound(int directory, uint64_t most)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	VECTOR(struct found) all = { 0 };
	struct dirent *entry;
	uint64_t total = 0;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		struct stat st;

		if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
		    half_made(directory, name, &st))
			continue;
		total += (uint64_t)st.st_size;
		vector_push(&all, (struct found){ xstrdup(name), st.st_mtime, (uint64_t)st.st_size });
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (total > most)
		qsort(all.items, all.count, sizeof(*all.items), older);
	for (size_t i = 0; i < all.count; i++) {
		if (total > most && unlinkat(directory, all.items[i].name, 0) == 0)
			total -= all.items[i].bytes;
		free(all.items[i].name);
	}
	vector_release(&all);
}
