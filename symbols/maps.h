/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/maps, with whatever names are in it. */
#ifndef SYMBOLS_MAPS_H
#define SYMBOLS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct map_entry {
	uint64_t start, end, offset, inode;
	unsigned dev_major, dev_minor;
	bool read, write, execute, shared;
	bool deleted;			/* the name ended in " (deleted)" (taken off name) */
	const char *name;		/* newlines unescaped; "" for anonymous; "[heap]" and the like */
};

struct maps {
	struct map_entry *items;	/* sorted by address, not overlapping */
	size_t count;
	char *text;			/* the names lie in here */
};

/* 0, or -errno (-ESRCH: no such process). *maps is to be released after success only. */
int maps_read(pid_t, struct maps *);

/* The same from text that was read elsewhere (copied; need not be terminated).  Lines that are
 * not understood are left out. */
int maps_parse(const char *text, size_t length, struct maps *);
void maps_release(struct maps *);

/* The mapping that holds address; NULL: none.  Lives as long as maps. */
const struct map_entry *maps_find(const struct maps *, uint64_t address);

/* The object around address: first and last mapping of the same file (device, inode, name) that
 * are neighbours, with only anonymous .bss or PROT_NONE gaps between.  false: address is in no file. */
bool maps_object(const struct maps *, uint64_t address, size_t *first, size_t *last);

#endif
