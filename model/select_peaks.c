/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which allocations were alive at the peak.
 *
 * A peak of blocks is a place in the list of records and a place in the log of their ends: what was
 * made before the one and is not among the ends before the other was alive.  Peaks only move
 * forward, so each record and each end is passed once, however often the peak moves, and a new
 * filter keeps what is known.  Ranges of pages may be cut into pieces after their peak; pieces
 * have the time of the whole, so there times decide, and ranges are few enough to be looked at
 * again. */
#include "model/select_state.h"

static bool is_block(const struct record *r)
{
	return op_kind(record_op(r)) == OP_KIND_ALLOC;
}

static void set(struct selection *s, uint32_t id, const struct record *r, bool on)
{
	*mark_at(s, id) ^= MARK_PEAK;
	if (*mark_at(s, id) & MARK_IN)
		group_peak(s, id, r, on);
}

/* Of those that there are marks for. */
static uint32_t records_at_peak(const struct selection *s)
{
	uint32_t count = s->heap->totals[HEAP_BLOCKS].peak_records;

	return count < s->marks.room ? count : (uint32_t)s->marks.room;
}

static size_t step_blocks(struct selection *s, size_t max)
{
	const struct class_totals *total = &s->heap->totals[HEAP_BLOCKS];

	for (; max && s->peak_records < records_at_peak(s); s->peak_records++, max--) {
		const struct record *r = record_at(s->heap, s->peak_records);

		if (is_block(r))
			set(s, s->peak_records, r, true);
	}
	for (; max && s->peak_changes < total->peak_changes; s->peak_changes++, max--) {
		uint32_t id = record_change(s->heap, s->peak_changes);

		if (id < s->marks.room && *mark_at(s, id) & MARK_PEAK && is_block(record_at(s->heap, id)))
			set(s, id, record_at(s->heap, id), false);
	}
	return max;
}

bool peaks_of_pages(const struct selection *s, const struct record *r)
{
	uint64_t peak = s->heap->totals[HEAP_PAGES].peak_stamp;

	return r->alloc_stamp <= peak && (record_state(r) == RECORD_LIVE || r->free_stamp > peak);
}

static size_t step_pages(struct selection *s, size_t max)
{
	uint64_t epoch = s->heap->totals[HEAP_PAGES].epoch;

	if (s->pages_at == s->pages.count && s->pages_epoch != epoch) {
		s->pages_epoch = epoch;
		s->pages_at = 0;
	}
	for (; max && s->pages_at < s->pages.count; s->pages_at++, max--)
		select_evaluate(s, s->pages.items[s->pages_at]);
	return max;
}

size_t peaks_step(struct selection *s, size_t max)
{
	return step_pages(s, step_blocks(s, max));
}

bool peaks_ready(const struct selection *s)
{
	const struct class_totals *total = &s->heap->totals[HEAP_BLOCKS];

	return s->peak_records == records_at_peak(s) && s->peak_changes == total->peak_changes &&
	       s->pages_at == s->pages.count && s->pages_epoch == s->heap->totals[HEAP_PAGES].epoch;
}
