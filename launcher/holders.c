/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking for a segment in /proc/PID/maps. */
#include "launcher/holders.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "launcher/segment.h"
#include "symbols/maps.h"

/* A process may fork behind the scan's back and end before the scan comes to it: a scan counts only
 * if nobody was born meanwhile.  Where others fork without end, so many must do. */
#define SCANS	16

VECTOR_STRUCT(pids, pid_t);

static bool is_ours(const struct map_entry *m, const uint64_t *inodes, size_t count)
{
	if (!m->shared || strcmp(m->name, "/memfd:" SEGMENT_NAME) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (m->inode == inodes[i])
			return true;
	return false;
}

bool holders_holds(pid_t pid, const uint64_t *inodes, size_t count)
{
	struct maps maps;
	bool found = false;

	if (maps_read(pid, &maps))
		return false;
	for (size_t i = 0; i < maps.count && !found; i++)
		found = is_ours(&maps.items[i], inodes, count);
	maps_release(&maps);
	return found;
}

/* Who was born last comes first: by the time the older ones were read, it may have forked and died. */
static bool scan(const struct pids *pids, const uint64_t *inodes, size_t count)
{
	for (size_t i = pids->count; i-- > 0;)
		if (holders_holds(pids->items[i], inodes, count))
			return true;
	return false;
}

static bool list(struct pids *pids)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	pids->count = 0;
	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0 && pid != getpid())
			vector_push(pids, pid);
	}
	if (proc)
		closedir(proc);
	return pids->count > 0;
}

/* The newest number that the kernel gave to a thread or process, or 0. */
static long last_born(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	long pid = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*s %*s %*s %*s %ld", &pid) != 1)
		pid = 0;
	fclose(f);
	return pid;
}

bool holders_exist(const uint64_t *inodes, size_t count)
{
	struct pids pids = { 0 };
	bool found = false, born = true;

	for (int i = 0; count && !found && born && i < SCANS; i++) {
		long before = last_born();

		found = list(&pids) && scan(&pids, inodes, count);
		born = last_born() != before;
	}
	vector_release(&pids);
	return found;
}
