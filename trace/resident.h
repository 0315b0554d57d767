/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pages of a process's mappings are resident, packed for a RESIDENT record, and back.
 *
 *	mapping  | absent | present | absent ...      runs of pages, alternating
 *
 * For each mapping, in the order of addresses: varint pages from the end of the one before to its
 * start (from 0), varint pages, varint flags, then varints of pages until they sum up: absent ones
 * (may be 0), present ones, absent ones and so on (never 0).  Freestanding. */
#ifndef TRACE_RESIDENT_H
#define TRACE_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/encode.h"

#define RESIDENT_BREAK	1u	/* flag of a mapping: the program break's */

struct resident_map {
	uint64_t first, pages;	/* number of its first page, and how many */
	uint32_t flags;
};

/* Packing.  A pack that did not fit has `full` set, and holds nothing of use. */
struct resident_pack {
	struct trace_out *out;
	uint64_t last;		/* page behind the mapping before */
	uint64_t count;		/* mappings so far */
	uint64_t run;		/* pages of the run that is still open */
	bool present;		/* what they are */
	bool full;
};

/* Begins the next mapping: above the one before. */
void resident_pack_map(struct resident_pack *pack, const struct resident_map *map);

/* Its next pages; neighbours of a kind are joined. */
void resident_pack_run(struct resident_pack *pack, bool present, uint64_t pages);

/* After the last page of a mapping. */
void resident_pack_end(struct resident_pack *pack);

/* Reading.  Believes nothing: any bytes give an end or -EBADMSG. */
struct resident_walk {
	const uint8_t *at, *end;
	uint64_t last, left;	/* page behind what was read; pages of the mapping that are to come */
	uint64_t maps;		/* to come */
	bool present;		/* the kind of the next run */
};

void resident_walk_init(struct resident_walk *walk, const struct trace_resident *resident);

/* The next mapping (what is left of the one before is passed over): 1, 0 at the end, -EBADMSG. */
int resident_walk_map(struct resident_walk *walk, struct resident_map *map);

/* The next run of present pages of the mapping: 1, 0 when there is none, -EBADMSG. */
int resident_walk_run(struct resident_walk *walk, uint64_t *first, uint64_t *pages);

#endif
