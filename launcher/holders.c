/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking for a segment in /proc/PID/maps. */
#include "launcher/holders.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/segment.h"
#include "symbols/maps.h"

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

bool holders_exist(const uint64_t *inodes, size_t count)
{
	DIR *proc = count ? opendir("/proc") : NULL;
	bool found = false;
	struct dirent *entry;

	while (proc && !found && (entry = readdir(proc))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0 && pid != getpid())
			found = holders_holds(pid, inodes, count);
	}
	if (proc)
		closedir(proc);
	return found;
}
