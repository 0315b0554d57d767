/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking for a thread that lives. */
#include "symbols/living.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/numbers.h"

#define PATH	96
#define TRIES	16	/* threads that end while they are looked at */

bool living_is(pid_t pid, pid_t tid)
{
	char path[PATH], text[512], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	p = strrchr(text, ')');		/* the name before may hold anything */
	return p && p[1] == ' ' && p[2] != 'Z' && p[2] != 'X';
}

pid_t living_thread(pid_t pid)
{
	pid_t tid;
	DIR *task;

	if (living_is(pid, pid))
		return pid;
	task = numbers_threads(pid);
	do
		tid = numbers_next(task);
	while (tid && !living_is(pid, tid));
	if (task)
		closedir(task);
	return tid;
}

pid_t living_proc(pid_t pid)
{
	pid_t tid = living_thread(pid);

	return tid ? tid : pid;
}

/* The path to try, other than the last time: then its thread had ended meanwhile.  False: no use. */
static bool next_path(pid_t pid, const char *file, char path[PATH], pid_t *last, int *tries)
{
	pid_t proc;

	if ((*tries)++ == TRIES || (*last && living_is(pid, *last)))
		return false;
	proc = living_proc(pid);
	if (proc == *last)
		return false;
	*last = proc;
	return snprintf(path, PATH, "/proc/%d/%s", (int)proc, file) < PATH;
}

int living_open(pid_t pid, const char *file, int flags)
{
	char path[PATH];
	pid_t last = 0;
	int fd = -ENOENT, tries = 0;

	while (fd < 0 && next_path(pid, file, path, &last, &tries)) {
		fd = open(path, flags | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	return fd;
}

int living_link(pid_t pid, const char *file, char *link, size_t size)
{
	char path[PATH];
	ssize_t n = -ENOENT;
	pid_t last = 0;
	int tries = 0;

	while (n < 0 && next_path(pid, file, path, &last, &tries)) {
		n = readlink(path, link, size - 1);
		n = n < 0 ? -errno : n;
	}
	link[n < 0 ? 0 : n] = '\0';
	return n < 0 ? (int)n : 0;
}
