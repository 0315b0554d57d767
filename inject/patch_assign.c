/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which row of which area a change gets: that of an earlier session, or a fresh one within reach. */
#include "inject/patch_plan.h"

#include <errno.h>
#include <string.h>

/* Areas are filled from the lowest function on, as long as one place reaches all of them. */
#define GROUP_SPAN	(code_reach() - (256ull << 20))

const struct table_row *patch_next_row(const struct patch_plan *p, uint32_t kind, uint64_t address,
				       size_t *area, size_t *row)
{
	for (; *area < p->areas.count; ++*area, *row = 0) {
		const struct patch_area *a = &p->areas.items[*area];

		for (; *row < a->rows.count; ++*row)
			if (a->rows.items[*row].kind == kind && a->rows.items[*row].address == address)
				return &a->rows.items[*row];
	}
	return NULL;
}

/* Whether an earlier row is of the same bytes: another library may have been there. */
static bool same_place(const struct table_row *row, const struct table_row *place)
{
	if (row->kind == ROW_SLOT)
		return row->copy == place->copy;
	return row->length == place->length && memcmp(row->original, place->original, row->length) == 0;
}

static bool take_known(struct patch_plan *p, struct patch_change *c)
{
	const struct table_row *row;

	c->area = c->row = 0;
	for (; (row = patch_next_row(p, c->place.kind, c->place.address, &c->area, &c->row)); c->row++) {
		if (!same_place(row, &c->place))
			continue;
		c->known = true;
		c->place.stub = row->stub;
		c->place.copy = row->copy;
		return true;
	}
	return false;
}

/* Nobody comes by the stub of a function that was unloaded. */
static bool is_gone(const struct table_row *row, const struct maps *maps)
{
	const struct map_entry *e = maps_find(maps, row->address);

	return row->kind == ROW_ENTRY && (!e || !e->execute);
}

/* The first row that is free. */
static size_t free_row(const struct patch_area *a, const struct maps *maps)
{
	for (size_t row = 0; row < a->rows.count; row++)
		if (is_gone(&a->rows.items[row], maps))
			return row;
	return a->rows.count;
}

static bool area_fits(const struct patch_area *a, const struct maps *maps, uint64_t low, uint64_t high)
{
	return (!high || area_reaches(a->base, low, high)) && free_row(a, maps) < AREA_ROWS;
}

static void put_in_area(struct patch_plan *p, struct patch_change *c, const struct maps *maps, size_t area)
{
	struct patch_area *a = &p->areas.items[area];

	c->area = area;
	c->row = free_row(a, maps);
	c->place.stub = area_stub(a, c->row);
	if (c->place.kind == ROW_ENTRY)
		c->place.copy = area_copy(a, c->row);
	if (c->row == a->rows.count)
		vector_push(&a->rows, c->place);
	else
		a->rows.items[c->row] = c->place;
}

/* A fresh area for change `first`, near enough for as many of those behind it as possible. */
static bool make_area(struct patch_plan *p, struct injection *in, const struct maps *maps, size_t first)
{
	const struct patch_change *c = &p->changes.items[first];
	uint64_t low = c->low, high = c->high, base;

	for (size_t i = first + 1; i < p->changes.count; i++) {
		const struct patch_change *next = &p->changes.items[i];
		uint64_t l = next->low < low ? next->low : low, h = next->high > high ? next->high : high;

		if (next->place.kind == ROW_ENTRY && !next->known && c->place.kind == ROW_ENTRY && h - l < GROUP_SPAN) {
			low = l;
			high = h;
		}
	}
	base = patch_room(in, maps, &p->areas, low, high);
	if (!base)
		base = patch_room(in, maps, &p->areas, c->low, c->high);
	if (base)
		vector_push(&p->areas, (struct patch_area){ .base = base, .fresh = true });
	return base != 0;
}

void patch_assign(struct patch_plan *p, struct injection *in, const struct maps *maps)
{
	for (size_t i = 0; i < p->changes.count; i++) {
		struct patch_change *c = &p->changes.items[i];
		size_t area = 0;

		if (c->known || c->area == NOT_IN_AN_AREA || take_known(p, c))
			continue;
		while (area < p->areas.count && !area_fits(&p->areas.items[area], maps, c->low, c->high))
			area++;
		if (area < p->areas.count || make_area(p, in, maps, i))
			put_in_area(p, c, maps, area);
		else
			patch_drop(p, c, "there is no room within reach of it");
	}
}

int patch_move_area(struct patch_plan *p, struct injection *in, const struct maps *maps, size_t area)
{
	struct patch_area *a = &p->areas.items[area];
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < p->changes.count; i++) {
		const struct patch_change *c = &p->changes.items[i];

		if (c->area != area || !c->high)
			continue;
		low = c->low < low ? c->low : low;
		high = c->high > high ? c->high : high;
	}
	a->base = patch_room(in, maps, &p->areas, high ? low : 0, high);
	for (size_t i = 0; i < p->changes.count; i++) {
		struct patch_change *c = &p->changes.items[i];

		if (c->area != area)
			continue;
		c->place.stub = area_stub(a, c->row);
		if (c->place.kind == ROW_ENTRY)
			c->place.copy = area_copy(a, c->row);
	}
	return a->base ? 0 : -ENOMEM;
}
