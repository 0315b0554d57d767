/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps, and the words of the segment's header. */
#include "launcher/attached.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/numbers.h"
#include "inject/deliver.h"
#include "inject/patch.h"
#include "launcher/namespaces.h"
#include "launcher/procfs.h"
#include "launcher/segment.h"
#include "symbols/living.h"
#include "symbols/maps.h"
#include "trace/channel.h"

#define MEMFD	"/memfd:"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void look_at(struct attached *a, const struct map_entry *m)
{
	if (strcmp(m->name, MEMFD DELIVER_NAME) == 0 || strcmp(m->name, MEMFD DELIVER_MAP_NAME) == 0) {
		a->hook = true;
	} else if (strcmp(m->name, MEMFD PATCH_AREA_NAME) == 0) {
		a->stubs = m->inode;
	} else if (m->execute && strcmp(file_name(m->name), "memtrack.so") == 0) {
		a->preloaded = true;
	}
}

/* The words are the target's: they may be anything. */
struct words {
	uint32_t magic, owner, region_count, pid;
	uint64_t region_offset;
};

static bool read_word(int memory, uint64_t at, void *word, size_t size)
{
	return pread(memory, word, size, (off_t)at) == (ssize_t)size;
}

static bool read_words(int fd, uint64_t segment, struct words *w)
{
	bool good = read_word(fd, segment + offsetof(struct channel_header, magic), &w->magic, 4) &&
		read_word(fd, segment + offsetof(struct channel_header, owner), &w->owner, 4) &&
		read_word(fd, segment + offsetof(struct channel_header, region_count), &w->region_count, 4) &&
		read_word(fd, segment + offsetof(struct channel_header, region_offset), &w->region_offset, 8) &&
		read_word(fd, segment + w->region_offset + offsetof(struct channel_region, pid), &w->pid, 4);

	return good && w->magic == CHANNEL_MAGIC;
}

/* A fork child has its parent's segment, but nothing of its own in it. */
static void look_at_segment(struct attached *a, pid_t pid, int memory, uint64_t segment)
{
	pid_t inner = pid, owner = 0;
	struct words w;
	bool inherited;

	if (!read_words(memory, segment, &w))
		return;
	namespace_depth(pid, &inner);
	if (!(w.owner & FUTEX_OWNER_DIED))
		owner = procfs_process_of((pid_t)(w.owner & FUTEX_TID_MASK));
	inherited = owner != pid && w.region_count == 1 && w.pid && (pid_t)w.pid != inner;
	a->inherited |= inherited;
	if (owner && !inherited)
		a->launcher = owner;
}

/* Any of them may be the one in use: that of an attach which failed stays as well.  Of two that are, somebody
 * else's counts. */
static bool look_at_segments(struct attached *a, pid_t pid, const struct maps *maps)
{
	int memory = living_open(pid, "mem", O_RDONLY);
	bool any = false;

	for (size_t i = 0; i < maps->count && (!a->launcher || a->launcher == getpid()); i++) {
		if (strcmp(maps->items[i].name, MEMFD SEGMENT_NAME))
			continue;
		any = true;
		if (memory >= 0)
			look_at_segment(a, pid, memory, maps->items[i].start);
	}
	if (memory >= 0)
		close(memory);
	if (a->launcher)
		a->inherited = false;
	return any;
}

int attached_find(pid_t pid, struct attached *a)
{
	struct maps maps;
	int rc = maps_read(pid, &maps);

	*a = (struct attached){ 0 };
	if (rc)
		return rc;
	for (size_t i = 0; i < maps.count; i++)
		look_at(a, &maps.items[i]);
	if (look_at_segments(a, pid, &maps) && !a->hook)
		a->preloaded = true;	/* under a name of its own */
	maps_release(&maps);
	return 0;
}

static bool has_stubs(pid_t pid, uint64_t stubs)
{
	struct attached a;

	return attached_find(pid, &a) == 0 && a.stubs == stubs && !a.launcher;
}

void attached_find_stubs(uint64_t stubs, struct attached_pids *pids)
{
	DIR *proc = opendir("/proc");
	pid_t pid;

	while ((pid = numbers_next(proc)) != 0)
		if (pid != getpid() && has_stubs(pid, stubs))
			vector_push(pids, pid);
	if (proc)
		closedir(proc);
}
