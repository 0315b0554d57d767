/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading perf-PID.map as it grows. */
#include "launcher/jit_map.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vector.h"
#include "launcher/namespaces.h"
#include "symbols/living.h"

#define TEXT_MAX	(64u << 20)	/* of one file */
#define NAME_MAX_BYTES	512u
#define READ_BYTES	65536u
#define NEIGHBOURS	16		/* code that was compiled again lies on what it replaces */

struct jit_code {
	uint64_t start, size;
	size_t name, length;	/* in text */
	size_t order;
};

struct jit_map {
	pthread_mutex_t lock;
	pid_t pid;
	pid_t inside;		/* its pid in its own namespace */
	uid_t owner;
	bool shares_tmp;	/* its /tmp is ours, so the file is found when the process is gone */
	int fd;			/* -1: not found yet */
	struct buffer text;	/* what is read */
	size_t parsed;		/* whole lines of it */
	bool sorted;
	VECTOR(struct jit_code) codes;
};

struct jit_map *jit_map_new(pid_t pid)
{
	struct jit_map *j = xcalloc(1, sizeof(*j));
	struct stat process, ours, theirs;
	char path[64];

	pthread_mutex_init(&j->lock, NULL);
	j->pid = pid;
	j->fd = -1;
	j->inside = pid;
	namespace_depth(pid, &j->inside);
	snprintf(path, sizeof(path), "/proc/%ld", (long)living_proc(pid));
	if (!stat(path, &process))
		j->owner = process.st_uid;
	snprintf(path, sizeof(path), "/proc/%ld/root/tmp", (long)living_proc(pid));
	j->shares_tmp = !stat(path, &theirs) && !stat("/tmp", &ours) && ours.st_ino == theirs.st_ino &&
			ours.st_dev == theirs.st_dev;
	return j;
}

void jit_map_free(struct jit_map *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	buffer_release(&j->text);
	vector_release(&j->codes);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

/* /tmp is everybody's: only a plain file of the process's user (or root) is believed. */
static int open_file(const struct jit_map *j, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat file;

	if (fd < 0 || (!fstat(fd, &file) && S_ISREG(file.st_mode) &&
		       (file.st_uid == j->owner || file.st_uid == 0)))
		return fd;
	close(fd);
	return -1;
}

static void find_file(struct jit_map *j)
{
	char path[128];

	if (j->fd >= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/root/tmp/perf-%ld.map", (long)living_proc(j->pid), (long)j->inside);
	j->fd = open_file(j, path);
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)j->inside);
	if (j->fd < 0 && j->shares_tmp)
		j->fd = open_file(j, path);
}

static void parse_line(struct jit_map *j, const char *line, size_t length)
{
	struct jit_code code = { .order = j->codes.count };
	char *at = NULL;

	code.start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return;
	code.size = strtoull(at + 1, &at, 16);
	if (!code.size || *at != ' ' || code.start + code.size < code.start)
		return;
	code.name = (size_t)(at + 1 - j->text.data);
	code.length = length - (size_t)(at + 1 - line);
	if (code.length > NAME_MAX_BYTES)
		code.length = NAME_MAX_BYTES;
	vector_push(&j->codes, code);
}

static void parse(struct jit_map *j)
{
	for (;;) {
		char *line = j->text.data + j->parsed;
		char *end = memchr(line, '\n', j->text.length - j->parsed);

		if (!end)
			return;
		*end = '\0';
		parse_line(j, line, (size_t)(end - line));
		j->parsed += (size_t)(end - line) + 1;
		j->sorted = false;
	}
}

static void read_more(struct jit_map *j)
{
	ssize_t got = 1;

	find_file(j);
	while (j->fd >= 0 && got > 0 && j->text.length < TEXT_MAX) {
		buffer_reserve(&j->text, READ_BYTES);
		got = pread(j->fd, j->text.data + j->text.length, READ_BYTES, (off_t)j->text.length);
		if (got > 0)
			j->text.length += (size_t)got;
	}
	if (j->text.length > j->parsed)
		parse(j);
}

static int by_start(const void *left, const void *right)
{
	const struct jit_code *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Of all that lie there the newest. */
static const struct jit_code *find(struct jit_map *j, uint64_t pc)
{
	const struct jit_code *best = NULL;
	size_t low = 0, high = j->codes.count;

	if (!j->sorted && j->codes.count)
		qsort(j->codes.items, j->codes.count, sizeof(*j->codes.items), by_start);
	j->sorted = true;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (j->codes.items[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i-- > 0 && low - i <= NEIGHBOURS;) {
		const struct jit_code *c = &j->codes.items[i];

		if (pc - c->start < c->size && (!best || c->order > best->order))
			best = c;
	}
	return best;
}

bool jit_map_name(struct jit_map *j, uint64_t pc, struct buffer *out, uint64_t *offset)
{
	const struct jit_code *code;

	pthread_mutex_lock(&j->lock);
	read_more(j);
	code = find(j, pc);
	if (code) {
		buffer_append(out, j->text.data + code->name, code->length);
		*offset = pc - code->start;
	}
	pthread_mutex_unlock(&j->lock);
	return code != NULL;
}
