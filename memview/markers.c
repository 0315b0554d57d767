/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Markers: add, remove the nearest, find one near a moment. */
#include "memview/markers.h"

int markers_add(struct markers *markers, uint64_t ns)
{
	for (int i = 0; i < MARKERS_MAX; i++) {
		if (markers->set[i])
			continue;
		markers->set[i] = true;
		markers->ns[i] = ns;
		return i + 1;
	}
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

int markers_remove(struct markers *markers, uint64_t ns)
{
	int best = -1;

	for (int i = 0; i < MARKERS_MAX; i++) {
		if (markers->set[i] &&
		    (best < 0 || distance(markers->ns[i], ns) < distance(markers->ns[best], ns)))
			best = i;
	}
	if (best >= 0)
		markers->set[best] = false;
	return best + 1;
}

int markers_near(const struct markers *markers, uint64_t ns, int side, uint64_t reach, uint64_t *found)
{
	int best = 0;

	for (int i = 0; i < MARKERS_MAX; i++) {
		uint64_t at = markers->ns[i];

		if (!markers->set[i] || (side < 0 ? at > ns : at < ns) || distance(at, ns) > reach)
			continue;
		if (best && distance(at, ns) >= distance(*found, ns))
			continue;
		best = i + 1;
		*found = at;
	}
	return best;
}
