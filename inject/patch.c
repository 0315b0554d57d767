/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Planting and removing, all threads held. */
#include "inject/patch.h"

#include "inject/memory.h"
#include "inject/patch_frames.h"
#include "inject/patch_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TELL(...)	((void)snprintf(reason, INJECTION_REASON, __VA_ARGS__))

VECTOR_STRUCT(frames_moves, struct frames_move);

/* A slot may have been bound since the plan was made. */
static bool slot_was_bound(const struct patch_change *c, const uint8_t *found)
{
	uint64_t value;

	memcpy(&value, found, sizeof(value));
	return c->place.kind == ROW_SLOT && value == c->place.copy;
}

/* Looks whether the place is as it was when the plan was made; drops the change if not. */
static int check_place(struct patch_plan *p, struct injection *in, struct patch_change *c)
{
	uint8_t found[CODE_ENTRY_MAX];
	int rc = memory_read(in, c->place.address, found, c->place.length);

	if (rc == -ESRCH)
		return rc;
	if (rc == 0 && (row_planted(in, &c->place) || memcmp(found, c->place.original, c->place.length) == 0))
		return 0;
	if (rc == 0 && slot_was_bound(c, found)) {
		memcpy(c->place.original, found, c->place.length);
		return memory_write(in, p->areas.items[c->area].base + sizeof(struct table_header) +
				    c->row * sizeof(c->place), &c->place, sizeof(c->place));
	}
	patch_drop(p, c, "its code has changed meanwhile");
	return 0;
}

/* Instructions that will be in the middle of a jump. */
static void add_moves(const struct patch_change *c, struct frames_moves *moves)
{
	for (unsigned step = 1; step < c->entry.steps; step++)
		if (c->place.kind == ROW_ENTRY && c->entry.starts[step] < CODE_PATCH_BYTES)
			vector_push(moves, (struct frames_move){
				.from = c->place.address + c->entry.starts[step],
				.to = c->place.copy + c->copy.starts[step] });
}

static int lead_away(const struct patch_plan *p, struct injection *in, const struct maps *maps)
{
	struct frames_moves moves = { 0 };
	int rc;

	for (size_t i = 0; i < p->changes.count; i++)
		if (p->changes.items[i].area != NOT_IN_AN_AREA)
			add_moves(&p->changes.items[i], &moves);
	rc = frames_lead_away(in, maps, moves.items, moves.count);
	vector_release(&moves);
	return rc;
}

static int write_change(struct injection *in, const struct patch_change *c, bool plant)
{
	uint8_t bytes[sizeof(uint64_t)];

	if (c->area == NOT_IN_AN_AREA)
		return 0;
	row_patch(&c->place, bytes);
	return memory_write(in, c->place.address, plant ? bytes : c->place.original, row_patch_bytes(&c->place));
}

int patch_count(struct injection *in)
{
	struct patch_areas areas;
	struct maps maps;
	int count = 0, rc = maps_read(injection_proc(in), &maps);

	if (rc)
		return rc;
	patch_areas_read(in, &maps, &areas);
	maps_release(&maps);
	for (size_t i = 0; i < areas.count; i++)
		for (size_t n = 0; n < areas.items[i].rows.count; n++)
			count += row_planted(in, &areas.items[i].rows.items[n]);
	patch_areas_release(&areas);
	return count;
}

/* Every planted patch away; how many. */
static int give_back(struct injection *in, const struct maps *maps, unsigned *count)
{
	struct patch_areas areas;
	int rc = 0, failed;

	*count = 0;
	patch_areas_read(in, maps, &areas);
	for (size_t i = 0; i < areas.count; i++)
		for (size_t n = 0; n < areas.items[i].rows.count; n++) {
			const struct table_row *row = &areas.items[i].rows.items[n];

			if (!row_planted(in, row))
				continue;
			failed = memory_write(in, row->address, row->original, row_patch_bytes(row));
			rc = failed ? failed : rc;
			*count += !failed;
		}
	patch_areas_release(&areas);
	return rc;
}

int patch_remove(struct injection *in, unsigned *removed, char reason[INJECTION_REASON])
{
	unsigned count = 0;
	struct maps maps;
	int rc = maps_read(injection_proc(in), &maps);

	if (rc == 0) {
		rc = give_back(in, &maps, &count);
		maps_release(&maps);
	}
	if (removed)
		*removed = count;
	if (rc)
		TELL("its functions cannot be given back: %s", strerror(-rc));
	return rc;
}

int patch_plant(struct patch_plan *p, struct injection *in, char reason[INJECTION_REASON])
{
	unsigned stale;
	size_t done = 0;
	struct maps maps = { 0 };
	int rc = maps_read(injection_proc(in), &maps);

	/* What a memtrack that died left. */
	if (rc == 0)
		rc = give_back(in, &maps, &stale);
	for (size_t i = 0; rc == 0 && i < p->changes.count; i++)
		if (p->changes.items[i].area != NOT_IN_AN_AREA)
			rc = check_place(p, in, &p->changes.items[i]);
	if (rc == 0)
		rc = lead_away(p, in, &maps);
	maps_release(&maps);
	while (rc == 0 && done < p->changes.count)
		rc = write_change(in, &p->changes.items[done++], true);
	if (rc == 0)
		return 0;
	while (done > 0)
		write_change(in, &p->changes.items[--done], false);
	TELL(rc == -ESRCH ? "it ended or executed another program" : "its functions cannot be redirected: %s",
	     strerror(-rc));
	return rc;
}
