/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exact counts that sampled threads keep beside their samples: from a region into records.
 *
 * Counts are cumulative, so a record that is lost with the launcher costs only its news. */
#ifndef LAUNCHER_TALLY_H
#define LAUNCHER_TALLY_H

#include "launcher/region.h"

/* Reads the counters of the thread in this slot if they moved; appends to r->tallies. */
void tally_take(struct region *r, uint32_t slot, struct region_thread *t);

/* The same for all threads. */
void tally_all(struct region *r);

/* The counters of a slot whose thread is gone, back to 0 for the next one. */
void tally_clear(struct region *r, uint32_t slot);

#endif
