/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares /proc/PID/mem with the files, which are opened as the process has them. */
#include "tests/attach/true_code.h"

#include "symbols/maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	4096u

/* map_files has the file itself but is root's; the name may be that of another file by now. */
static int open_file(pid_t pid, const struct map_entry *m)
{
	char path[4200];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, m->start, m->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || m->deleted)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, m->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == m->inode)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Another one may be mapped there by now. */
static bool still_mapped(pid_t pid, const struct map_entry *m)
{
	const struct map_entry *now;
	struct maps maps;
	bool there;

	if (maps_read(pid, &maps) != 0)
		return false;
	now = maps_find(&maps, m->start);
	there = now && now->start == m->start && now->end == m->end && now->inode == m->inode &&
		now->offset == m->offset && strcmp(now->name, m->name) == 0;
	maps_release(&maps);
	return there;
}

/* A page; what lies behind the end of the file is zero. */
static bool page_differs(int memory, int file, const struct map_entry *m, uint64_t at, unsigned *where)
{
	unsigned char there[PAGE] = { 0 }, here[PAGE] = { 0 };

	if (pread(memory, there, PAGE, (off_t)(m->start + at)) != PAGE ||
	    pread(file, here, PAGE, (off_t)(m->offset + at)) <= 0)
		return false;
	for (*where = 0; *where < PAGE; ++*where)
		if (there[*where] != here[*where])
			return true;
	return false;
}

static unsigned compare(pid_t pid, int memory, const struct map_entry *m, char *first)
{
	int file = open_file(pid, m);
	unsigned changed = 0, where;

	if (file < 0 && still_mapped(pid, m)) {
		snprintf(first, TRUE_CODE_TEXT, "code of %s cannot be compared", m->name);
		return 1;
	}
	for (uint64_t at = 0; file >= 0 && at < m->end - m->start; at += PAGE) {
		if (!page_differs(memory, file, m, at, &where) || !still_mapped(pid, m))
			continue;
		if (changed++ == 0)
			snprintf(first, TRUE_CODE_TEXT, "code of %s at +%#" PRIx64 " is not that of the file", m->name,
				 m->offset + at + where);
	}
	if (file >= 0)
		close(file);
	return changed;
}

unsigned true_code(pid_t pid, char first[TRUE_CODE_TEXT])
{
	unsigned changed = 0, compared = 0;
	struct maps maps;
	char path[32];
	int memory;

	*first = '\0';
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	if (memory < 0 || maps_read(pid, &maps) != 0) {
		snprintf(first, TRUE_CODE_TEXT, "memory or maps of %d cannot be read", (int)pid);
		if (memory >= 0)
			close(memory);
		return 1;
	}
	for (size_t k = 0; k < maps.count; k++) {
		const struct map_entry *m = &maps.items[k];

		if (!m->execute || !m->inode || strncmp(m->name, "/memfd:memtrack", 15) == 0)
			continue;
		changed += compare(pid, memory, m, changed ? (char[TRUE_CODE_TEXT]){ 0 } : first);
		compared++;
	}
	if (!compared && !changed++)
		snprintf(first, TRUE_CODE_TEXT, "no code of %d is seen", (int)pid);
	maps_release(&maps);
	close(memory);
	return changed;
}
