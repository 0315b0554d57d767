/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known code at the places where it is put. */
#include "inject/leftover.h"

#include "inject/cave.h"
#include "inject/cpu.h"
#include "inject/memory.h"
#include "inject/patch_frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t left_in(struct injection *i, const struct maps *maps, size_t k)
{
	uint8_t code[CAVE_SIZE];
	uint64_t address = cave_in(i, maps, k);

	return address && memory_read(i, address, code, sizeof(code)) == 0 && cpu_is_cave(code) ? address : 0;
}

bool leftover_is_there(struct injection *i)
{
	struct maps maps;
	bool found = false;

	if (maps_read(injection_proc(i), &maps))
		return false;
	for (size_t k = 0; k < maps.count && !found; k++)
		found = left_in(i, &maps, k) != 0;
	maps_release(&maps);
	return found;
}

/* The vDSO has no file; what is behind its end is zero, as in most. */
static int read_original(const struct injection *i, const struct map_entry *m, uint64_t address,
			 uint8_t bytes[CAVE_SIZE])
{
	int fd;

	memset(bytes, 0, CAVE_SIZE);
	if (!m->inode)
		return 0;
	fd = injection_open_mapped(i, m->start, m->end, m->name, m->inode);
	if (fd < 0)
		return fd;
	if (pread(fd, bytes, CAVE_SIZE, (off_t)(m->offset + address - m->start)) < 0) {
		close(fd);
		return -EIO;
	}
	close(fd);
	return 0;
}

static int put_back(struct injection *i, const struct maps *maps, const struct map_entry *m, uint64_t address)
{
	uint8_t bytes[CAVE_SIZE];
	bool used;
	int rc = frames_inside(i, maps, address, address + CAVE_SIZE, true, &used);

	if (!rc && used)
		rc = -EAGAIN;
	rc = rc ? rc : read_original(i, m, address, bytes);
	return rc ? rc : memory_write(i, address, bytes, sizeof(bytes));
}

int leftover_remove(struct injection *i, char reason[INJECTION_REASON])
{
	struct maps maps;
	int rc = maps_read(injection_proc(i), &maps);

	if (rc)
		return rc;
	for (size_t k = 0; k < maps.count; k++) {
		uint64_t address = left_in(i, &maps, k);
		int failed = address ? put_back(i, &maps, &maps.items[k], address) : 0;

		rc = failed ? failed : rc;
	}
	maps_release(&maps);
	if (rc)
		snprintf(reason, INJECTION_REASON, "what a memtrack that was killed left in it cannot be taken away: %s",
			 strerror(-rc));
	return rc;
}
