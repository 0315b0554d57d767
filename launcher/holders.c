/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking for a segment in /proc/PID/maps. */
#include "launcher/holders.h"

#include <string.h>

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
