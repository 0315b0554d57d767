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

#include "launcher/procfs.h"
#include "launcher/segment.h"
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
	if (strcmp(m->name, MEMFD "memtrack.so") == 0) {
		a->hook = true;
	} else if (strcmp(m->name, MEMFD "memtrack-map.so") == 0) {
		a->hook = a->mapped_form = true;
	} else if (strcmp(m->name, MEMFD ATTACHED_STUBS) == 0) {
		a->stubs = true;
	} else if (strcmp(m->name, MEMFD SEGMENT_NAME) == 0) {
		a->segment = m->start;
		a->segment_bytes = m->end - m->start;
	} else if (m->execute && strcmp(file_name(m->name), "memtrack.so") == 0) {
		a->preloaded = true;
	}
}

/* The word is the target's: it may be anything. */
static pid_t holder(pid_t pid, uint64_t segment)
{
	struct {
		uint32_t magic, version;
	} head = { 0 };
	uint32_t owner = 0;
	pid_t launcher = 0;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (pread(fd, &head, sizeof(head), (off_t)segment) == sizeof(head) && head.magic == CHANNEL_MAGIC &&
	    pread(fd, &owner, sizeof(owner), (off_t)(segment + offsetof(struct channel_header, owner))) ==
	    sizeof(owner) && !(owner & FUTEX_OWNER_DIED))
		launcher = procfs_process_of((pid_t)(owner & FUTEX_TID_MASK));
	close(fd);
	return launcher;
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
	maps_release(&maps);
	if (a->segment)
		a->launcher = holder(pid, a->segment);
	if (!a->hook && a->segment)
		a->preloaded = true;	/* under a name of its own */
	return 0;
}
