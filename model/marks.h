/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What people did to a recording while it ran: markers set, and pauses. */
#ifndef MODEL_MARKS_H
#define MODEL_MARKS_H

#include "model/heap.h"

/* In the order of the trace; the name may be "" and lives as long as the heap. */
size_t heap_marker_count(const struct heap *heap);
const char *heap_marker_at(const struct heap *heap, size_t index, uint64_t *ns);

/* In a pause new blocks are not recorded, nor are their ends. */
struct heap_pause {
	uint64_t from_ns, to_ns;	/* to: newest time seen if it goes on */
	bool goes_on;
};
size_t heap_pause_count(const struct heap *heap);
void heap_pause_at(const struct heap *heap, size_t index, struct heap_pause *out);
bool heap_paused(const struct heap *heap);

/* Allocations and their bytes that were left out in all pauses. */
void heap_unrecorded(const struct heap *heap, uint64_t *calls, uint64_t *bytes);

/* With heap_options.until: has all up to there been fed?  A marker at that stamp, or the end, says so. */
bool heap_reached(const struct heap *heap);
uint64_t heap_until_ns(const struct heap *heap);

#endif
