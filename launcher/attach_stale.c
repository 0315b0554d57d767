/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known by their names. */
#include "launcher/attach_stale.h"

#include <dirent.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/deliver.h"
#include "inject/memory.h"
#include "inject/patch.h"
#include "inject/remote.h"
#include "launcher/segment.h"
#include "symbols/maps.h"

#define MEMFD	"/memfd:"
#define CALLS	64u

struct calls {
	struct remote_system items[CALLS];
	size_t count;
};

static void add(struct calls *c, long number, uint64_t first, uint64_t second)
{
	if (c->count < CALLS)
		c->items[c->count++] = (struct remote_system){ .number = number, .arguments = { first, second } };
}

/* Its memtrack was killed, or ended the session. */
static bool is_dead(struct injection *i, uint64_t segment)
{
	uint32_t owner = 0, closing = 0;

	if (memory_read(i, segment + offsetof(struct channel_header, owner), &owner, sizeof(owner)) ||
	    memory_read(i, segment + offsetof(struct channel_header, closing), &closing, sizeof(closing)))
		return false;
	return closing || (owner & FUTEX_OWNER_DIED);
}

static void add_segments(struct calls *c, struct injection *i, uint64_t used)
{
	struct maps maps;

	if (maps_read(injection_proc(i), &maps))
		return;
	for (size_t k = 0; k < maps.count; k++) {
		const struct map_entry *m = &maps.items[k];

		if (strcmp(m->name, MEMFD SEGMENT_NAME) == 0 && m->start != used && is_dead(i, m->start))
			add(c, SYS_munmap, m->start, m->end - m->start);
	}
	maps_release(&maps);
}

static bool is_ours(const char *link)
{
	static const char *const names[] = {
		MEMFD SEGMENT_NAME, MEMFD PATCH_AREA_NAME, MEMFD DELIVER_NAME, MEMFD DELIVER_MAP_NAME,
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (strncmp(link, names[k], strlen(names[k])) == 0 && strcmp(link + strlen(names[k]), " (deleted)") == 0)
			return true;
	return false;
}

static void add_descriptors(struct calls *c, const struct injection *i)
{
	char path[32], name[300], link[96];
	struct dirent *entry;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)injection_proc(i));
	fds = opendir(path);
	while (fds && (entry = readdir(fds))) {
		ssize_t n;

		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		n = readlink(name, link, sizeof(link) - 1);
		link[n < 0 ? 0 : n] = '\0';
		if (is_ours(link))
			add(c, SYS_close, (uint64_t)atoi(entry->d_name), 0);
	}
	if (fds)
		closedir(fds);
}

void attach_drop_stale(struct injection *i, struct thread *t, uint64_t used)
{
	struct calls calls = { .count = 0 };

	add_segments(&calls, i, used);
	add_descriptors(&calls, i);
	if (calls.count)
		remote_syscalls(i, t, calls.items, calls.count);	/* should one fail, that stays */
}
