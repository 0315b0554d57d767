/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions whose answer takes a look at all records, answered in steps:
 *
 *	scan = scan_of_total(heap, id);
 *	each turn of the loop:  if (scan_step(scan, 50000)) { total = scan_total(scan); scan_free(scan); }
 *
 * A scan ends before its heap or selection. */
#ifndef MODEL_SCAN_H
#define MODEL_SCAN_H

#include "model/select.h"

struct scan;

/* Where the blocks of a site were freed: select_free_sites(). */
struct scan *scan_of_free_sites(struct heap *heap, uint32_t site);
/* What was freed in the time of the filter, but allocated before: select_freed_before(). */
struct scan *scan_of_before(const struct selection *selection);
/* What its thread had allocated when it made a record: block_thread_total(). */
struct scan *scan_of_total(struct heap *heap, uint32_t id);
void scan_free(struct scan *scan);

/* Looks at max records at most; true: all were looked at, and the answer is there. */
bool scan_step(struct scan *scan, size_t max);

size_t scan_free_sites(struct scan *scan, struct select_free_site *out, size_t max);
/* The same scan: how long the blocks that were freed had lived.  The median is true to about 5 %. */
struct scan_lifetimes {
	uint64_t count;
	uint64_t shortest_ns, median_ns, longest_ns;
};
void scan_lifetimes(const struct scan *scan, struct scan_lifetimes *out);
void scan_before(const struct scan *scan, struct select_before *out);
uint64_t scan_total(const struct scan *scan);

#endif
