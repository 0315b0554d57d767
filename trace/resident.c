/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of resident pages as varints. */
#include "trace/resident.h"

#include <errno.h>

#include "trace/varint.h"

#define PAGES_MAX	((uint64_t)1 << 52)	/* of an address space */

static void put(struct resident_pack *p, uint64_t value)
{
	if (p->out->capacity - p->out->length < VARINT_MAX)
		p->full = true;
	if (p->full)
		return;
	p->out->length = (size_t)(varint_write(p->out->data + p->out->length, value) - p->out->data);
}

void resident_pack_map(struct resident_pack *p, const struct resident_map *map)
{
	put(p, map->first - p->last);
	put(p, map->pages);
	put(p, map->flags);
	p->last = map->first + map->pages;
	p->count++;
	p->run = 0;
	p->present = false;
}

void resident_pack_run(struct resident_pack *p, bool present, uint64_t pages)
{
	if (!pages)
		return;
	if (present != p->present) {
		put(p, p->run);
		p->run = 0;
		p->present = present;
	}
	p->run += pages;
}

void resident_pack_end(struct resident_pack *p)
{
	if (p->run)
		put(p, p->run);
	p->run = 0;
}

static bool get(struct resident_walk *w, uint64_t *value)
{
	const uint8_t *at = varint_read(w->at, w->end, value);

	if (!at || *value > PAGES_MAX)
		return false;
	w->at = at;
	return true;
}

void resident_walk_init(struct resident_walk *w, const struct trace_resident *r)
{
	*w = (struct resident_walk){
		.at = (const uint8_t *)r->packed.data,
		.end = (const uint8_t *)r->packed.data + r->packed.length, .maps = r->count,
	};
}

/* 1: the next run, of either kind; 0: none is left. */
static int next_run(struct resident_walk *w, uint64_t *pages, bool *present, bool first)
{
	if (!w->left)
		return 0;
	if (!get(w, pages) || *pages > w->left || (!*pages && !first))
		return -EBADMSG;
	*present = w->present;
	w->present = !w->present;
	w->left -= *pages;
	w->last += *pages;
	return 1;
}

int resident_walk_map(struct resident_walk *w, struct resident_map *map)
{
	uint64_t gap, flags, pages;
	bool present;
	int got;

	while ((got = next_run(w, &pages, &present, !w->present)) > 0)
		;
	if (got < 0)
		return got;
	if (!w->maps)
		return 0;
	if (!get(w, &gap) || !get(w, &map->pages) || !get(w, &flags) ||
	    w->last + gap + map->pages > PAGES_MAX)
		return -EBADMSG;
	w->maps--;
	map->first = w->last + gap;
	map->flags = (uint32_t)flags;
	w->last = map->first;
	w->left = map->pages;
	w->present = false;
	return 1;
}

int resident_walk_run(struct resident_walk *w, uint64_t *first, uint64_t *pages)
{
	bool present;
	int got;

	do {
		*first = w->last;
		got = next_run(w, pages, &present, !w->present);
	} while (got > 0 && !present);
	return got;
}
