/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks of open files, and the names of files on this machine. */
#include "base/hold.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

#define PLACE	((off_t)1 << 62)
#define BOOT_ID	"/proc/sys/kernel/random/boot_id"

static struct flock lock_of(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = PLACE, .l_len = 1 };
}

bool hold_take(int fd)
{
	struct flock lock = lock_of(F_RDLCK);

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Whoever locks the whole file does so for another reason. */
enum hold_state hold_look(int fd)
{
	struct flock lock = lock_of(F_WRLCK);

	if (fcntl(fd, F_OFD_GETLK, &lock) < 0)
		return HOLD_UNKNOWN;
	if (lock.l_type == F_UNLCK)
		return HOLD_NONE;
	return lock.l_start == PLACE && lock.l_len == 1 ? HOLD_HELD : HOLD_UNKNOWN;
}

/* 0: not known. */
static uint64_t this_boot(void)
{
	char id[64];
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, sizeof(id));

	if (fd >= 0)
		close(fd);
	return n > 0 ? hash_bytes(id, (size_t)n) : 0;
}

bool hold_mark(int fd, char mark[HOLD_MARK])
{
	uint64_t boot = this_boot();
	struct stat st;

	mark[0] = '\0';
	if (!boot || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	snprintf(mark, HOLD_MARK, "%016llx", (unsigned long long)hash_pair(hash_pair(boot, st.st_dev), st.st_ino));
	return true;
}
