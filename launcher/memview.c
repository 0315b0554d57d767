/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding and executing memview. */
#include "launcher/memview.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbols/target.h"

static char *beside(const char *tail)
{
	char own[PATH_MAX], program[TARGET_PATH_MAX], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[n < 0 ? 0 : n] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	path = xasprintf("%s/%s", own, tail);
	if (target_search(path, program) == 0)
		return path;
	free(path);
	return NULL;
}

char *memview_find(void)
{
	char *path = beside("memview"), found[TARGET_PATH_MAX];

	if (!path)
		path = beside("memview/memview");
	return path ? path : target_search("memview", found) ? NULL : xstrdup(found);
}

static char *number(int fd)
{
	return xasprintf("%d", fd);
}

static void keep_open(int fd)
{
	fcntl(fd, F_SETFD, 0);
}

static void execute(const struct memview_start *start, int ready)
{
	const char *argv[16] = {
		"memview", "--stream", number(start->stream), "--ready", number(ready),
	};
	int count = 5;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signals_give_back(start->signals);
	keep_open(start->stream);
	keep_open(ready);
	for (int fd = 0; fd <= 1; fd++)
		if (!isatty(fd))
			dup2(start->terminal->fd, fd);
	if (start->output[0]) {
		argv[count++] = "--target-output";
		argv[count++] = start->output;
	}
	argv[count++] = "--";
	argv[count++] = start->trace;
	execv(start->path, (char **)argv);
	dprintf(STDERR_FILENO, "memtrack: cannot run '%s': %s\n", start->path, strerror(errno));
	_exit(127);
}

pid_t memview_run(const struct memview_start *start, int *ready)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (!pid)
		execute(start, ends[1]);
	close(ends[1]);
	*ready = ends[0];
	if (pid > 0)
		return pid;
	close(ends[0]);
	return -errno;
}
