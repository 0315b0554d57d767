/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading small files of /proc. */
#include "launcher/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbols/living.h"

#define FLAG_EXITING	0x4u	/* PF_EXITING among the flags in /proc/PID/stat */

/* The first size - 1 bytes, terminated.  Their number, or -errno.  Closes fd, which may be an error. */
static ssize_t read_open(int fd, char *text, size_t size)
{
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n >= 0)
		text[n] = '\0';
	return n;
}

/* Of the thread that has that number. */
static ssize_t read_file(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return read_open(fd < 0 ? -errno : fd, text, size);
}

/* Of whatever thread lives: what they share. */
static ssize_t read_shared(pid_t pid, const char *file, char *text, size_t size)
{
	return read_open(living_open(pid, file, O_RDONLY), text, size);
}

int procfs_comm(pid_t pid, char name[PROCFS_COMM])
{
	ssize_t n = read_file(pid, "comm", name, PROCFS_COMM);

	if (n < 0) {
		name[0] = '\0';
		return (int)n;
	}
	if (n > 0 && name[n - 1] == '\n')
		name[n - 1] = '\0';
	return 0;
}

char **procfs_arguments(pid_t pid)
{
	char text[8192], *copy;
	ssize_t length = read_shared(pid, "cmdline", text, sizeof(text));
	size_t words = 1, n = 0;
	char **array;

	if (length <= 0)
		return NULL;
	for (ssize_t i = 0; i < length; i++)
		words += text[i] == '\0';
	array = xmalloc((words + 1) * sizeof(*array) + (size_t)length + 1);
	copy = memcpy(array + words + 1, text, (size_t)length + 1);
	for (const char *end = copy + length; copy < end; copy += strlen(copy) + 1)
		array[n++] = copy;
	array[n] = NULL;
	return array;
}

char *procfs_variable(pid_t pid, const char *name)
{
	size_t capacity = 1 << 18, n = strlen(name);
	char *text = xmalloc(capacity), *found = NULL;
	ssize_t length = read_shared(pid, "environ", text, capacity);
	const char *own = getenv(name);

	for (const char *at = text; length > 0 && at < text + length && !found; at += strlen(at) + 1)
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			found = xstrdup(at + n + 1);
	free(text);
	if (!found)
		found = xstrdup(length <= 0 && own ? own : "");
	return found;
}

int procfs_exe(pid_t pid, char *path, size_t size)
{
	return living_link(pid, "exe", path, size);
}

int procfs_state(pid_t pid, char *state, pid_t *parent)
{
	char text[512], letter = '?';
	ssize_t n = read_file(pid, "stat", text, sizeof(text));
	const char *after;
	int ppid = 0;

	if (n < 0)
		return (int)n;
	after = strrchr(text, ')');	/* the name before may hold anything */
	if (!after || sscanf(after + 1, " %c %d", &letter, &ppid) != 2)
		return -EBADMSG;
	if (state)
		*state = letter;
	if (parent)
		*parent = ppid;
	return 0;
}

bool procfs_ended(pid_t pid)
{
	char text[512], state;
	ssize_t n = read_file(pid, "stat", text, sizeof(text));
	const char *after = n > 0 ? strrchr(text, ')') : NULL;
	unsigned flags;
	int threads;

	if (n < 0)
		return n == -ENOENT || n == -ESRCH;
	if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state,
			     &flags, &threads) != 3)
		return false;
	return threads <= 1 && (flags & FLAG_EXITING || state == 'Z' || state == 'X');
}

int procfs_descends(pid_t pid, pid_t ancestor)
{
	for (int steps = 0; pid > 1 && steps < 256; steps++) {
		if (pid == ancestor)
			return 1;
		if (procfs_state(pid, NULL, &pid))
			return 0;
	}
	return 0;
}

/* The number behind "\nKEY:"; 0 when there is none. */
static uint64_t field(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = text; s; s = strchr(s, '\n')) {
		if (*s == '\n')
			s++;
		if (strncmp(s, key, n) == 0 && s[n] == ':')
			return strtoull(s + n + 1, NULL, 10);
	}
	return 0;
}

static void rss_from_status(const char *text, struct trace_rss *rss)
{
	rss->anon = field(text, "RssAnon");
	rss->file = field(text, "RssFile");
	rss->shmem = field(text, "RssShmem");
	rss->swap = field(text, "VmSwap");
	rss->stacks = field(text, "VmStk");
	rss->rss = field(text, "VmRSS");
}

pid_t procfs_process_of(pid_t tid)
{
	char text[4096];

	return tid > 0 && read_file(tid, "status", text, sizeof(text)) > 0 ? (pid_t)field(text, "Tgid") : 0;
}

bool procfs_tracer_is(pid_t pid, const char *name)
{
	char text[4096], comm[PROCFS_COMM];

	return read_file(pid, "status", text, sizeof(text)) > 0 && field(text, "TracerPid") &&
		procfs_comm((pid_t)field(text, "TracerPid"), comm) == 0 && strncmp(comm, name, strlen(name)) == 0;
}

int procfs_rss(pid_t pid, struct trace_rss *rss)
{
	char text[4096];
	ssize_t n = read_shared(pid, "status", text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (!strstr(text, "\nVmRSS:"))
		return -ESRCH;
	rss_from_status(text, rss);
	/* status counts per thread and lags behind; the rollup is exact, but may be forbidden */
	if (read_shared(pid, "smaps_rollup", text, sizeof(text)) > 0 && field(text, "Rss")) {
		rss->rss = field(text, "Rss");
		rss->anon = field(text, "Anonymous");
		rss->swap = field(text, "Swap");
	}
	return 0;
}
