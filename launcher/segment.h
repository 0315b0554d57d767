/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's end of a channel segment: one for every traced process image.
 *
 * A segment is a memfd made sparse at its full size, sealed, and mapped here as a whole; the
 * target maps the same pages.  The target may write any word at any time: read once, then check.
 */
#ifndef LAUNCHER_SEGMENT_H
#define LAUNCHER_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/channel.h"

#define SEGMENT_NAME		"memtrack-channel"
#define SEGMENT_REGIONS_FOLLOW	512u	/* regions when fork children are traced too: so many at a time */

/* The trusted copy of what the header says: the header itself belongs to the target as well. */
struct segment {
	int fd;				/* O_CLOEXEC; -1 once nobody needs to connect any more */
	int life_fd;			/* a page that members of the family map and nobody else; -1: there is none */
	uint64_t inode;			/* as it stands in /proc/PID/maps of those who map it */
	struct channel_header *header;	/* start of the mapping */
	size_t bytes;
	uint32_t region_count, threads_max, nodes_max, chunks_max;
	uint64_t region_offset, region_bytes;
	struct channel_layout layout;
	struct channel_settings settings;
	_Atomic bool heard[SEGMENT_REGIONS_FOLLOW];	/* of the fork child that has the region */
	int shrunk;			/* the address space limit made it smaller than usual */
};

/* Makes, seals, maps and fills a segment for `regions` processes.  address_space is the target's
 * RLIMIT_AS in bytes (UINT64_MAX: none): the segment takes at most a quarter of it.
 * Nobody owns it yet (heartbeat_hold).  0, or -errno; on error *segment is untouched. */
int segment_new(struct segment *segment, const struct channel_settings *settings,
		uint32_t regions, uint64_t address_space);

/* Bytes of a segment for a process that runs already: the same whatever the settings are, so that a
 * later session of it can take the place of an earlier one.  address_space as above. */
uint64_t segment_attach_bytes(uint64_t address_space);

/* The same as segment_new, for one process, in an empty memfd that was made elsewhere; takes fd over,
 * also on error.  -ENOSPC: `bytes` are too few. */
int segment_adopt(struct segment *segment, int fd, uint64_t bytes, const struct channel_settings *settings);

/* Gives up the memory of all events: they have been read, and the target may keep its mapping for ever. */
void segment_forget_events(struct segment *segment);

/* Is there a process left that was let in, or a descendant of one that has executed nothing else?  Asked when
 * nobody will be let in any more. */
bool segment_is_mapped(const struct segment *segment);

/* Unmaps and closes.  The target keeps its own mapping. */
void segment_release(struct segment *segment);

/* Parts of region i (i < region_count), valid until segment_release. */
static inline struct channel_region *segment_region(const struct segment *s, uint32_t i)
{
	return (struct channel_region *)((char *)s->header + s->region_offset + i * s->region_bytes);
}

static inline struct channel_thread *segment_threads(const struct segment *s, uint32_t i)
{
	return (struct channel_thread *)((char *)segment_region(s, i) + s->layout.threads);
}

#endif
