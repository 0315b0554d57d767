/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making a segment: size, seals, mapping, header. */
#include "launcher/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES_MIN	(1u << 13)
#define CHUNKS_MIN	64u
#define REGIONS_FEW	4u
#define THREADS_MIN	256u
#define THREAD_SPACE	(1u << 20)

struct plan {
	uint32_t regions, threads, nodes, chunks;
	bool sampling;
	struct channel_layout layout;
	uint64_t region_offset, bytes;
};

static void plan_measure(struct plan *p)
{
	p->layout = channel_layout(p->threads, p->nodes, p->chunks, p->sampling);
	p->region_offset = channel_page_up(sizeof(struct channel_header));
	p->bytes = p->region_offset + p->regions * p->layout.bytes;
}

/* Halves whatever is largest until it fits, or nothing is left to halve.  The last few regions go
 * last: without them no fork child is traced. */
static void plan_shrink(struct plan *p, uint64_t limit)
{
	while (p->bytes > limit) {
		if (p->regions > REGIONS_FEW)
			p->regions /= 2;
		else if (p->chunks > CHUNKS_MIN && p->chunks * CHANNEL_CHUNK_BYTES >=
			 p->nodes * sizeof(struct depot_node))
			p->chunks /= 2;
		else if (p->nodes > NODES_MIN)
			p->nodes /= 2;
		else if (p->chunks > CHUNKS_MIN)
			p->chunks /= 2;
		else if (p->threads > THREADS_MIN)
			p->threads /= 2;
		else if (p->regions > 1)
			p->regions /= 2;
		else
			break;
		plan_measure(p);
	}
}

/* The address space is the program's: an eighth of it for the segment, and room for no more threads
 * than could have stacks in it. */
static void plan_limit(struct plan *p, uint64_t address_space)
{
	uint64_t threads = address_space / THREAD_SPACE;

	if (threads < p->threads)
		p->threads = threads > THREADS_MIN ? (uint32_t)threads : THREADS_MIN;
	plan_measure(p);
	plan_shrink(p, address_space / 8);
}

static void fill_header(struct channel_header *h, const struct plan *p,
			const struct channel_settings *settings)
{
	h->segment_bytes = p->bytes;
	h->region_bytes = p->layout.bytes;
	h->region_offset = p->region_offset;
	h->region_count = p->regions;
	h->nodes_max = p->nodes;
	h->chunks_max = p->chunks;
	h->threads_max = p->threads;
	h->settings = *settings;
	if (h->settings.thread_chunks > p->chunks / 2)
		h->settings.thread_chunks = p->chunks / 2;
	h->version = CHANNEL_VERSION;
	h->magic = CHANNEL_MAGIC;
}

/* Gives up fd on error. */
static int size_memory(int fd, uint64_t bytes)
{
	int rc;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static int map_planned(const struct plan *p, int fd, void **map)
{
	int rc;

	fd = size_memory(fd, p->bytes);
	if (fd < 0)
		return fd;
	*map = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*map != MAP_FAILED)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static int open_planned(const struct plan *p, void **map)
{
	return map_planned(p, memfd_create(SEGMENT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING), map);
}

/* What the header says becomes the launcher's own copy. */
static void take(struct segment *segment, int fd, void *map, const struct plan *p,
		 const struct channel_settings *settings)
{
	struct stat st = { 0 };

	fstat(fd, &st);
	fill_header(map, p, settings);
	*segment = (struct segment){
		.fd = fd, .life_fd = -1, .inode = st.st_ino, .header = map, .bytes = p->bytes, .region_count = p->regions,
		.threads_max = p->threads, .nodes_max = p->nodes, .chunks_max = p->chunks,
		.region_offset = p->region_offset, .region_bytes = p->layout.bytes,
		.layout = p->layout, .settings = ((struct channel_header *)map)->settings,
	};
}

/* -1: there is none. */
static int open_life(void)
{
	int fd = memfd_create("memtrack-life", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, CHANNEL_PAGE) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The kernel counts the mappings through which a file may be written: to forbid that is refused while there
 * are any.  A look at /proc is no substitute, a process may fork behind its back and die before it comes. */
bool segment_is_mapped(const struct segment *s)
{
	return s->life_fd >= 0 && fcntl(s->life_fd, F_ADD_SEALS, F_SEAL_WRITE) < 0 && errno == EBUSY;
}

int segment_new(struct segment *segment, const struct channel_settings *settings,
		uint32_t regions, uint64_t address_space)
{
	struct plan p = {
		.regions = regions, .threads = CHANNEL_THREADS_MAX,
		.nodes = CHANNEL_NODES_MAX, .chunks = CHANNEL_CHUNKS_MAX, .sampling = settings->sample != 0,
	};
	uint64_t full;
	void *map;
	int fd;

	plan_measure(&p);
	full = p.bytes;
	if (address_space != UINT64_MAX)
		plan_limit(&p, address_space);
	fd = open_planned(&p, &map);
	if (fd == -ENOMEM || fd == -EFBIG) {	/* our own limits may be tighter */
		plan_shrink(&p, p.bytes / 8);
		fd = open_planned(&p, &map);
	}
	if (fd < 0)
		return fd;
	take(segment, fd, map, &p, settings);
	if (regions > 1)
		segment->life_fd = open_life();
	segment->shrunk = p.bytes < full;
	return 0;
}

/* With room for the counters of --sample. */
static struct plan plan_attach(void)
{
	struct plan p = {
		.regions = 1, .threads = CHANNEL_THREADS_MAX, .nodes = CHANNEL_NODES_MAX,
		.chunks = CHANNEL_CHUNKS_MAX, .sampling = true,
	};

	plan_measure(&p);
	return p;
}

uint64_t segment_attach_bytes(uint64_t address_space)
{
	struct plan p = plan_attach();

	if (address_space != UINT64_MAX)
		plan_limit(&p, address_space);
	return channel_page_up(p.bytes);
}

int segment_adopt(struct segment *segment, int fd, uint64_t bytes, const struct channel_settings *settings)
{
	struct plan p = plan_attach();
	uint64_t full = p.bytes;
	void *map;

	plan_shrink(&p, bytes);
	if (p.bytes > bytes) {
		close(fd);
		return -ENOSPC;
	}
	p.bytes = bytes;
	fd = map_planned(&p, fd, &map);
	if (fd < 0)
		return fd;
	take(segment, fd, map, &p, settings);
	segment->shrunk = bytes < full;
	return 0;
}

void segment_forget_events(struct segment *s)
{
	for (uint32_t i = 0; i < s->region_count; i++)
		madvise((char *)segment_region(s, i) + s->layout.chunks,
			(uint64_t)s->chunks_max * CHANNEL_CHUNK_BYTES, MADV_REMOVE);
}

void segment_release(struct segment *segment)
{
	munmap(segment->header, segment->bytes);
	if (segment->fd >= 0)
		close(segment->fd);
	if (segment->life_fd >= 0)
		close(segment->life_fd);
	segment->header = NULL;
	segment->fd = segment->life_fd = -1;
}
