/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbered markers M1..M9: moments of the trace that the user pinned. */
#ifndef MEMVIEW_MARKERS_H
#define MEMVIEW_MARKERS_H

#include <stdbool.h>
#include <stdint.h>

#define MARKERS_MAX 9

struct markers {
	bool set[MARKERS_MAX];
	uint64_t ns[MARKERS_MAX];
};

/* Takes the lowest free number: 1..9, or 0 when all are in use. */
int markers_add(struct markers *markers, uint64_t ns);

/* Removes the one nearest to ns; its number, or 0 when there is none. */
int markers_remove(struct markers *markers, uint64_t ns);

/* The nearest marker at or before (side < 0) or at or after (side > 0) ns, no further than reach;
 * its number with *found, or 0. */
int markers_near(const struct markers *markers, uint64_t ns, int side, uint64_t reach, uint64_t *found);

#endif
