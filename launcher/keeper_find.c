/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A keeper is known by its name and by its pidfd of the process. */
#include "launcher/keeper_find.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers.h"
#include "launcher/procfs.h"

#define NAP_NS		10000000L
#define NAPS_MAX	300

/* The process that a descriptor stands for; 0: for none. */
static pid_t pidfd_of(pid_t holder, const char *fd)
{
	char path[300], line[128];
	pid_t pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)holder, fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!pid && fgets(line, sizeof(line), f))
		if (strncmp(line, "Pid:", 4) == 0)
			pid = (pid_t)atoi(line + 4);
	fclose(f);
	return pid;
}

static bool keeps(pid_t pid, pid_t target)
{
	char path[32], name[PROCFS_COMM];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	if (procfs_comm(pid, name) || strcmp(name, KEEPER_NAME))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	fds = opendir(path);
	while (fds && !found && (entry = readdir(fds)))
		found = entry->d_name[0] != '.' && pidfd_of(pid, entry->d_name) == target;
	if (fds)
		closedir(fds);
	return found;
}

static pid_t find(pid_t target)
{
	DIR *proc = opendir("/proc");
	pid_t pid;

	do
		pid = numbers_next(proc);
	while (pid && !keeps(pid, target));
	if (proc)
		closedir(proc);
	return pid;
}

void keeper_wait(pid_t target)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	pid_t keeper = find(target);

	for (int naps = 0; keeper && naps < NAPS_MAX; naps++) {
		nanosleep(&nap, NULL);
		if (!keeps(keeper, target))
			keeper = find(target);
	}
}
