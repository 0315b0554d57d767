/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NSpid of /proc/PID/status. */
#include "launcher/namespaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "launcher/holders.h"

/* "NSpid:\t4711\t1\n": ours, then further down. */
static unsigned numbers(const char *p, pid_t *inner)
{
	unsigned depth = 0;

	for (; *p; p++) {
		if (p[0] != '\t' || p[1] < '0' || p[1] > '9')
			continue;
		depth++;
		if (inner)
			*inner = (pid_t)atoi(p + 1);
	}
	return depth;
}

unsigned namespace_depth(pid_t pid, pid_t *inner)
{
	char path[32], line[256];
	unsigned depth = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!depth && fgets(line, sizeof(line), f))
		if (!strncmp(line, "NSpid:", 6))
			depth = numbers(line + 6, inner);
	fclose(f);
	return depth;
}

pid_t namespace_find(pid_t inner, uint64_t inode)
{
	DIR *proc = opendir("/proc");
	pid_t pid, known = 0;

	do
		pid = numbers_next(proc);
	while (pid && !(namespace_depth(pid, &known) > 1 && known == inner && holders_holds(pid, &inode, 1)));
	if (proc)
		closedir(proc);
	return pid;
}
