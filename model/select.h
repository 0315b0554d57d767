/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A selection: the records (and their groups by call site) that pass a filter, sorted, kept up
 * to date in slices while the heap grows.
 *
 *	s = select_new(heap);
 *	select_filter(s, &filter); select_sort(s, SELECT_BY_SIZE, false); select_groups(s, true);
 *	each turn of the loop:  heap_feed(...); select_step(s, 200000);  draw rows
 *
 * Rows can be read at any time, between steps too: they show a consistent state, the newest one
 * that is complete as far as sorting goes.  New records cost what they are; only a new filter,
 * sort key, search with new symbols, or the runtime's names start over.
 */
#ifndef MODEL_SELECT_H
#define MODEL_SELECT_H

#include "model/amounts.h"
#include "model/blocks.h"
#include "model/sites.h"

enum select_state { SELECT_ALL, SELECT_LEAKS, SELECT_ACTIVE, SELECT_FREED };

struct select_filter {
	enum select_state state;	/* Active excludes leaked ones; Freed includes gone ones; Leaks
					 * excludes the runtime's own (block_record.runtime) */
	uint32_t thread;		/* HEAP_NONE: all */
	uint32_t site;			/* HEAP_NONE: all; one group's records */
	uint64_t min_age_ns;		/* lifetime, of live ones so far; 0 off */
	bool delta;			/* only allocated strictly after delta_ns */
	uint64_t delta_ns;
	bool range;			/* only allocated from range_from_ns to range_to_ns, inclusive */
	uint64_t range_from_ns, range_to_ns;
	const char *search;		/* any case, in frames of both stacks, thread name, op, pointer;
					 * NULL or "" off; copied */
	bool hide_runtime;		/* leave out the C and C++ runtime's own blocks in any state */
};
#define SELECT_FILTER_INIT	{ .thread = HEAP_NONE, .site = HEAP_NONE }

enum select_column {
	SELECT_BY_TIME, SELECT_BY_SIZE, SELECT_BY_THREAD,		/* records */
	SELECT_BY_TOTAL = SELECT_BY_TIME, SELECT_BY_COUNT, SELECT_BY_RATE, /* groups: see select_cost() */
};

struct select_group {
	uint32_t site;
	uint32_t example;		/* id of its first record in the selection */
	uint32_t thread;		/* of the example */
	bool many_threads;
	bool never_fell;		/* for the red mark: nothing of the call site was ever freed */
	uint64_t count, bytes;
	uint64_t live, live_bytes;
	uint64_t leaked, leaked_bytes;
	uint64_t peak, peak_bytes;	/* alive when the heap (pages: they) was at its peak */
	uint64_t temporary;		/* see model/amounts.h */
	uint64_t first_ns, last_ns;	/* allocations in the selection */
	double rate;			/* bytes a second over that span (at least 1 ms) */
	struct heap_margin margin;	/* sampled traces: of count and bytes (allocs), live, leaked, peak */
};

struct selection;
struct selection *select_new(struct heap *heap);
void select_free(struct selection *selection);

/* A new filter, a new order.  Records: time upwards by default, size downwards, thread by name;
 * groups: all downwards.  Rows of the old filter are gone at once, while a new order is made rows
 * stand as before; a reversal costs nothing. */
void select_filter(struct selection *selection, const struct select_filter *filter);
void select_sort(struct selection *selection, enum select_column column, bool reverse);
void select_sort_groups(struct selection *selection, enum select_column column, bool reverse);
/* What SELECT_BY_TOTAL sorts groups by; allocated bytes at first. */
void select_cost(struct selection *selection, enum cost cost);
/* Keep groups too (off at first). */
void select_groups(struct selection *selection, bool on);

/* Do at most about max records' worth of work.  Returns true when up to date with the heap. */
bool select_step(struct selection *selection, size_t max);
/* All records were looked at and stand in their order. */
bool select_has_all(const struct selection *selection);

/* What takes time: records are looked at for the first time, or for a new filter, or sorted; and how
 * far that is, 0..1000. */
enum select_work { SELECT_RESTS, SELECT_READS, SELECT_FILTERS, SELECT_SORTS };
enum select_work select_work(const struct selection *selection, unsigned *permille);
/* Ends a filter or an order that is still being worked on: all is as it was before (the filter, the
 * order of records; not that of groups), and the caller has to remember what that was.  false: there is none. */
bool select_cancel(struct selection *selection);
/* Nothing to cancel, and all was looked at since the filter was set. */
bool select_is_settled(const struct selection *selection);
/* Moves when rows changed. */
uint64_t select_generation(const struct selection *selection);

/* Records in order. */
size_t select_count(const struct selection *selection);
uint32_t select_at(const struct selection *selection, size_t row);
/* Row of a record, or SIZE_MAX when it is not in: keeps the cursor on its record while rows come
 * in.  Cost: logarithmic. */
size_t select_find(const struct selection *selection, uint32_t id);
/* Row of the first record at or after a time, when sorted by time upwards; else SIZE_MAX. */
size_t select_find_time(const struct selection *selection, uint64_t ns);

/* Groups in order. */
size_t select_group_count(const struct selection *selection);
void select_group_at(const struct selection *selection, size_t row, struct select_group *out);
size_t select_group_find(const struct selection *selection, uint32_t site);
void select_group_amounts(const struct select_group *group, struct amounts *out);

/* What the selection has of a thread's blocks, or pages; peaks only while groups are kept. */
void select_thread(const struct selection *selection, uint32_t thread, enum heap_class which, struct amounts *out);

/* Whether the filter lets a finding (model/findings.h) through: by the thread and the time of the wrong
 * free, the state and age of the block, and the search in all that is known of both. */
bool select_finding(const struct selection *selection, size_t index);

/* Sums over the selection, always current. */
struct select_sums {
	uint64_t count, bytes;
	uint64_t active, active_bytes, freed, freed_bytes, leaked, leaked_bytes;
	uint64_t runtime, runtime_bytes; /* never freed, but the C or C++ runtime's own: not leaked */
	uint64_t maps, map_bytes;	/* HEAP_PAGES among all of these */
	struct { uint64_t count, bytes; } histogram[SIZE_BUCKETS];
	/* Sampled traces: of count and bytes (allocs), active (live), freed (frees), leaked; and of
	 * each bar. */
	struct heap_margin margin;
	struct { uint64_t count, bytes; } histogram_margin[SIZE_BUCKETS];
};
void select_sums(const struct selection *selection, struct select_sums *out);

#endif
