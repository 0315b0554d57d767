/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One cell a page: live bytes in the low bits, and what is known of it in the high ones. */
#include "model/pages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "trace/resident.h"

#define CELL_PRESENT	(1u << 31)
#define CELL_EXCLUDED	(1u << 30)
#define CELL_TOUCHED	(1u << 29)	/* some block, if of no bytes, lies on it */
#define CELL_BYTES	(CELL_TOUCHED - 1)
#define CELLS_MAX	(1u << 23)	/* a launcher samples far fewer */
#define SHIFT_MAX	20u

static int read_runs(struct pages *p, struct resident_walk *walk, const struct resident_map *map)
{
	size_t first = p->count;
	uint64_t from, run;
	int got;

	if (map->pages > CELLS_MAX - p->count)
		return -EBADMSG;
	p->count += map->pages;
	p->cells = xreallocarray(p->cells, p->count + 1, sizeof(*p->cells));
	memset(p->cells + first, 0, map->pages * sizeof(*p->cells));
	while ((got = resident_walk_run(walk, &from, &run)) == 1)
		for (uint64_t i = 0; i < run; i++)
			p->cells[first + (size_t)(from - map->first + i)] = CELL_PRESENT;
	return got;
}

int pages_open(struct pages *p, const struct trace_resident *resident)
{
	struct resident_walk walk;
	struct resident_map map;
	int got;

	*p = (struct pages){ 0 };
	while (p->shift < SHIFT_MAX && (uint64_t)1 << p->shift < resident->page)
		p->shift++;
	if ((uint64_t)1 << p->shift != resident->page)
		return -EBADMSG;
	resident_walk_init(&walk, resident);
	while ((got = resident_walk_map(&walk, &map)) == 1) {
		struct page_map m = {
			map.first << p->shift, (map.first + map.pages) << p->shift, p->count,
			(map.flags & RESIDENT_BREAK) != 0,
		};

		got = read_runs(p, &walk, &map);
		if (got < 0)
			break;
		vector_push(&p->maps, m);
	}
	if (got < 0)
		pages_release(p);
	return got;
}

void pages_release(struct pages *p)
{
	vector_release(&p->maps);
	free(p->cells);
	p->cells = NULL;
}

/* The first mapping that ends above the address; maps.count: none. */
static size_t map_above(const struct pages *p, uint64_t address)
{
	size_t low = 0, high = p->maps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->maps.items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void pages_claim(struct pages *p, uint64_t start, uint64_t end)
{
	for (size_t i = map_above(p, start); i < p->maps.count && p->maps.items[i].start < end; i++)
		p->maps.items[i].allocator = true;
}

void pages_exclude(struct pages *p, uint64_t start, uint64_t end)
{
	uint64_t page = (uint64_t)1 << p->shift;

	for (size_t i = map_above(p, start); i < p->maps.count && p->maps.items[i].start < end; i++) {
		const struct page_map *m = &p->maps.items[i];
		uint64_t from = start > m->start ? start : m->start, to = end < m->end ? end : m->end;

		for (uint64_t at = from & ~(page - 1); at < to; at += page)
			p->cells[m->first + (size_t)((at - m->start) >> p->shift)] |= CELL_EXCLUDED;
	}
}

static void cell_fill(uint32_t *cell, uint64_t bytes)
{
	uint64_t sum = (*cell & CELL_BYTES) + bytes;

	*cell = (*cell & ~CELL_BYTES) | CELL_TOUCHED | (uint32_t)(sum < CELL_BYTES ? sum : CELL_BYTES);
}

/* True blocks do not overlap; what a damaged trace claims costs no more time than they. */
void pages_block(struct pages *p, uint64_t ptr, uint64_t size)
{
	uint64_t page = (uint64_t)1 << p->shift, end = ptr + size, at = ptr;
	size_t i = map_above(p, ptr);

	if (end < ptr)
		return;
	for (; i < p->maps.count && p->maps.items[i].start <= at; i++) {
		struct page_map *m = &p->maps.items[i];

		m->allocator = true;
		do {
			uint64_t next = (at & ~(page - 1)) + page;

			if (next > end)
				next = end;
			cell_fill(&p->cells[m->first + (size_t)((at - m->start) >> p->shift)], next - at);
			at = next;
			p->work += at < end;
		} while (at < end && at < m->end && p->work < 2 * p->count);
		if (at >= end)
			break;
	}
}

static bool is_counted(uint32_t cell)
{
	return (cell & (CELL_PRESENT | CELL_EXCLUDED)) == CELL_PRESENT;
}

void pages_sum(const struct pages *p, uint64_t *taken, uint64_t *resident, uint64_t *used,
	uint64_t *empty)
{
	uint64_t page = (uint64_t)1 << p->shift;

	*taken = *resident = *used = *empty = 0;
	for (size_t i = 0; i < p->maps.count; i++) {
		const struct page_map *m = &p->maps.items[i];
		size_t end = m->first + (size_t)((m->end - m->start) >> p->shift);

		for (size_t c = m->first; m->allocator && c < end; c++) {
			uint64_t live = p->cells[c] & CELL_BYTES;

			*taken += p->cells[c] & CELL_EXCLUDED ? 0 : page;
			if (!is_counted(p->cells[c]))
				continue;
			*resident += page;
			*used += live < page ? live : page;
			*empty += p->cells[c] & CELL_TOUCHED ? 0 : page;
		}
	}
}
