/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pieces of memory that go to a file when they are many. */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/spill_windows.h"
#include "base/vector.h"

/* File systems that <linux/magic.h> does not know. */
#define ZFS_MAGIC	0x2fc12fc1ul
#define BCACHEFS_MAGIC	0xca451a4eul

#define LET_GO		((size_t)16 << 20)	/* of address space, between two looks at what is resident */
#define NOT_YET		-1
#define NOWHERE		-2

struct piece {
	char *at;
	size_t size;
	off_t offset;		/* in the file, or -1: in memory */
};

struct hole {
	off_t offset;
	size_t size;
};

/* Pieces stand in the order in which they were got; those before `young` are in the file, unless
 * the file could take no more. */
struct spill {
	VECTOR(struct piece) pieces;
	VECTOR(struct hole) holes;	/* of the file, of pieces that were put back */
	size_t young;
	size_t hand;			/* piece that is let go of next */
	size_t in_memory, in_memory_max;
	size_t resident_max;		/* of what is in the file */
	struct spill_windows *windows;	/* of it that are fetched */
	uint64_t aside;
	uint64_t resident_before;	/* pages of files that the process had without us */
	off_t end;			/* of the file */
	size_t page;
	int fd, statm;			/* or NOT_YET, NOWHERE */
	char *folder;
	char message[256];
};

struct spill *spill_new(size_t budget, const char *folder)
{
	struct spill *s = xcalloc(1, sizeof(*s));

	s->in_memory_max = budget ? budget / 3 * 2 : SIZE_MAX;
	s->resident_max = budget / 3;
	s->windows = spill_windows_new(budget / 6);
	s->folder = folder ? xstrdup(folder) : NULL;
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	s->fd = s->statm = NOT_YET;
	return s;
}

void spill_free(struct spill *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->pieces.count; i++)
		munmap(s->pieces.items[i].at, s->pieces.items[i].size);
	spill_windows_free(s->windows);
	vector_release(&s->pieces);
	vector_release(&s->holes);
	if (s->fd >= 0)
		close(s->fd);
	if (s->statm >= 0)
		close(s->statm);
	free(s->folder);
	free(s);
}

/* Does a page that is written later keep the space that was reserved for it?  Not where files are
 * copied on write, and not in memory or across a network. */
static bool keeps_space(int fd)
{
	struct statfs fs;
	int flags = FS_NOCOW_FL;

	if (fstatfs(fd, &fs) < 0)
		return false;
	switch ((unsigned long)fs.f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case NFS_SUPER_MAGIC:
	case SMB_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case FUSE_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case ZFS_MAGIC:
	case BCACHEFS_MAGIC:
		return false;
	case BTRFS_SUPER_MAGIC:
		return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
	default:
		return true;
	}
}

/* A file in folder, or -1. */
static int open_in(const char *folder, size_t page)
{
	int fd;

	if (!folder || !folder[0])
		return -1;
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 && keeps_space(fd) && fallocate(fd, 0, 0, (off_t)page) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static uint64_t file_pages(const struct spill *s)
{
	char text[128], *at = text;
	ssize_t n = pread(s->statm, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = 0;
	strtoull(at, &at, 10);		/* size */
	strtoull(at, &at, 10);		/* resident */
	return strtoull(at, NULL, 10);	/* of those, of files */
}

static void say(struct spill *s, const char *why)
{
	snprintf(s->message, sizeof(s->message),
		 "records stay in memory, however many: %s; set TMPDIR to a folder on a disk", why);
}

static bool file_is_open(struct spill *s)
{
	const char *folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

	if (s->fd != NOT_YET)
		return s->fd >= 0;
	s->fd = NOWHERE;
	s->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (s->statm < 0) {
		say(s, "there is no /proc");
		return false;
	}
	s->resident_before = file_pages(s);
	for (size_t i = 0; i < (s->folder ? 1 : 3) && s->fd < 0; i++)
		s->fd = open_in(s->folder ? s->folder : folders[i], s->page);
	if (s->fd < 0) {
		s->fd = NOWHERE;
		say(s, "no folder for temporary files is on a disk where space can be reserved");
	}
	return s->fd >= 0;
}

/* Beyond the limit of file sizes the kernel would not only refuse, but send SIGXFSZ. */
static int reserve_at(const struct spill *s, off_t at, size_t size)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    (uint64_t)at + size > limit.rlim_cur)
		return EFBIG;
	return fallocate(s->fd, 0, at, (off_t)size) < 0 ? errno : 0;
}

/* Room in the file, reserved; -1 when there is none. */
static off_t reserve(struct spill *s, size_t size)
{
	off_t at = s->end;
	size_t i = 0;
	int err;

	while (i < s->holes.count && s->holes.items[i].size != size)
		i++;
	if (i < s->holes.count)
		at = s->holes.items[i].offset;
	err = reserve_at(s, at, size);
	if (err) {
		say(s, strerror(err));
		if (spill_windows_close(s->windows))
			close(s->fd);	/* what is mapped stays */
		s->fd = NOWHERE;
		return -1;
	}
	if (i < s->holes.count)
		s->holes.items[i] = s->holes.items[--s->holes.count];
	else
		s->end += (off_t)size;
	return at;
}

static bool map_file(struct spill *s, void *at, size_t size, off_t offset)
{
	if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, s->fd, offset) == MAP_FAILED)
		return false;
	spill_windows_add(s->windows, at, size, s->fd, offset);
	s->aside += size;
	return true;
}

static bool put_aside(struct spill *s, struct piece *piece)
{
	off_t offset;

	if (!file_is_open(s))
		return false;
	offset = reserve(s, piece->size);
	if (offset < 0)
		return false;
	if (!spill_write(s->fd, piece->at, piece->size, offset) ||
	    !map_file(s, piece->at, piece->size, offset)) {
		say(s, strerror(errno));
		return false;
	}
	piece->offset = offset;
	s->in_memory -= piece->size;
	return true;
}

/* The oldest pieces go to the file until there is room for size bytes in memory. */
static void make_room(struct spill *s, size_t size)
{
	while (s->in_memory + size > s->in_memory_max && s->young < s->pieces.count && s->fd != NOWHERE) {
		struct piece *piece = &s->pieces.items[s->young];

		if (piece->offset < 0 && !put_aside(s, piece))
			return;
		s->young++;
	}
}

void *spill_get(struct spill *s, size_t size)
{
	struct piece piece = { .offset = -1 };

	piece.size = size = (size + s->page - 1) & ~(s->page - 1);
	make_room(s, size);
	piece.at = spill_map(size);
	if (!piece.at)
		return NULL;
	/* Larger than all that may be in memory: never written to, it is nothing but zeroes there. */
	if (size > s->in_memory_max && file_is_open(s)) {
		off_t offset = reserve(s, size);

		if (offset >= 0 && map_file(s, piece.at, size, offset))
			piece.offset = offset;
	}
	if (piece.offset < 0)
		s->in_memory += size;
	vector_push(&s->pieces, piece);
	return piece.at;
}

void spill_put(struct spill *s, void *at)
{
	size_t i = s->pieces.count;
	struct piece piece;

	if (!at)
		return;
	while (s->pieces.items[--i].at != at)
		;
	piece = s->pieces.items[i];
	spill_windows_remove(s->windows, piece.at, piece.size);
	munmap(piece.at, piece.size);
	s->pieces.count--;
	memmove(&s->pieces.items[i], &s->pieces.items[i + 1], (s->pieces.count - i) * sizeof(piece));
	s->young -= i < s->young;
	if (piece.offset < 0) {
		s->in_memory -= piece.size;
		return;
	}
	s->aside -= piece.size;
	if (s->fd >= 0 && fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, piece.offset,
				    (off_t)piece.size) == 0)
		vector_push(&s->holes, (struct hole){ piece.offset, piece.size });
}

static uint64_t resident(const struct spill *s)
{
	uint64_t pages = file_pages(s);

	return pages > s->resident_before ? (pages - s->resident_before) * s->page : 0;
}

/* The pages stay in the kernel's cache as long as it has room, so what is needed again soon costs
 * a fault and no reading. */
void spill_trim(struct spill *s)
{
	size_t done = 0, passed = 0;

	size_t fetched = spill_windows_bytes(s->windows), most;

	most = fetched < s->resident_max ? s->resident_max - fetched : 0;
	if (!s->aside || resident(s) <= most)
		return;
	for (; passed < s->pieces.count; passed++) {
		const struct piece *piece = &s->pieces.items[s->hand++ % s->pieces.count];

		if (piece->offset < 0)
			continue;
		spill_windows_let_go(s->windows, piece->at, piece->size);
		done += piece->size;
		if (done >= LET_GO && resident(s) <= most / 2)
			break;
		done = done >= LET_GO ? 0 : done;
	}
	s->hand %= s->pieces.count;
}

void spill_touch(struct spill *s, const void *at)
{
	if (s->aside)
		spill_windows_touch(s->windows, at);
}

uint64_t spill_aside(const struct spill *s)
{
	return s->aside;
}

const char *spill_message(const struct spill *s)
{
	return s->message;
}
