/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the patch_*.c files share of a plan. */
#ifndef INJECT_PATCH_PLAN_H
#define INJECT_PATCH_PLAN_H

#include "inject/patch.h"
#include "inject/patch_table.h"

#define NOT_IN_AN_AREA	SIZE_MAX

/* One place that is overwritten. */
struct patch_change {
	size_t want;
	uint64_t hook;			/* its entry */
	struct code_entry entry;	/* of a ROW_ENTRY */
	uint64_t low, high;		/* that an area must reach; 0 and 0: nothing */
	size_t area, row;		/* NOT_IN_AN_AREA: dropped */
	bool known;			/* the row is in the target already ... */
	bool planted;			/* ... and the patch, so that threads come by */
	struct table_row place;		/* as it is or will be in the table */
	struct code_copy copy;		/* of a ROW_ENTRY */
};

VECTOR_STRUCT(patch_changes, struct patch_change);

struct patch_plan {
	const struct patch_want *wants;
	size_t count;
	struct patch_row *rows;		/* by want */
	struct patch_changes changes;
	struct patch_areas areas;	/* those of the target, then fresh ones */
};

/* Gives each change a row, in areas that are there or in fresh ones; what is out of reach is dropped. */
void patch_assign(struct patch_plan *, struct injection *, const struct maps *);

/* Another place for an area that is not mapped yet: its own was taken meanwhile. */
int patch_move_area(struct patch_plan *, struct injection *, const struct maps *, size_t area);

/* The next row for a place: *area's *row, or behind.  NULL: there is none. */
const struct table_row *patch_next_row(const struct patch_plan *, uint32_t kind, uint64_t address, size_t *area,
				       size_t *row);

/* Takes a change out of the plan. */
void patch_drop(struct patch_plan *, struct patch_change *, const char *reason);

#endif
