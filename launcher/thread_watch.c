/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which threads of a target have ended: their slots can be given back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "launcher/drain.h"

static bool path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 || errno != ENOENT;
}

/* How many pid namespaces deep the process is, seen from here; 0 when that cannot be read. */
static unsigned namespace_depth(pid_t pid)
{
	char path[32], line[256];
	unsigned depth = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		for (const char *p = line + 6; *p; p++)
			depth += p[0] == '\t' && p[1] >= '0' && p[1] <= '9';
		break;
	}
	fclose(f);
	return depth;
}

/* False only when it is certain: the process itself is visible (no hidepid) and knows its threads
 * by the numbers that we know.  /proc/TID is there for any thread, also one that shares only the
 * memory. */
bool thread_exists(pid_t pid, uint32_t tid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	if (path_exists(path))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return !path_exists(path);
}

/* A thread that is marked was in the table before it was looked for, so a new one that got the
 * number of an old one is never taken for it. */
void thread_watch(struct region *r, pid_t pid, bool all)
{
	bool known = false;

	for (size_t i = 0; i < r->own.count; i++) {
		struct region_thread *t = &r->own.items[i];

		if (!t->serial || t->gone || !t->tid || !(t->exited || all) || t->tid == r->main_tid)
			continue;
		if (!known && namespace_depth(pid) != 1)
			return;
		known = true;
		t->gone = !thread_exists(pid, t->tid);
	}
}
