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

/* Where the blocks of a site were freed, and how long they had lived. */
struct scan *scan_of_free_sites(struct heap *heap, uint32_t site);
/* What was freed in the filter's time (its range, else since its delta) but allocated before, and so is in no row: what
 * a balance over that time would show as negative.  Of the filter's thread; estimates in a sampled trace.  All 0 without
 * such a time. */
struct scan *scan_of_before(const struct selection *selection);
/* Bytes that its thread had allocated in all when it made a record, that one included.  Of the same thread's later
 * records it goes on from there. */
struct scan *scan_of_total(struct heap *heap, uint32_t id);
void scan_free(struct scan *scan);

/* Looks at max records at most; true: all were looked at, and the answer is there. */
bool scan_step(struct scan *scan, size_t max);

/* Most often first: at most max stacks (HEAP_NONE when frees carry none) with counts.  Returns how many. */
struct scan_free_site { uint32_t stack; uint64_t count; };
size_t scan_free_sites(struct scan *scan, struct scan_free_site *out, size_t max);
/* The same scan: how long the blocks that were freed had lived.  The median is true to about 5 %. */
struct scan_lifetimes {
	uint64_t count;
	uint64_t shortest_ns, median_ns, longest_ns;
};
void scan_lifetimes(const struct scan *scan, struct scan_lifetimes *out);
struct scan_before { uint64_t count, bytes; };
void scan_before(const struct scan *scan, struct scan_before *out);
uint64_t scan_total(const struct scan *scan);

#endif
