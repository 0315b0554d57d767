/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a selection; for the select files alone.
 *
 * Invariants
 *  - marks[id] says for each record below `cursor` whether it is in, and as what it was counted.
 *  - ids holds exactly the records that are in, upwards, except those in `touched`, whose marks
 *    are newer; every step ends with touched empty.
 *  - order (another sort than by time) holds the same records when order_valid; while it is
 *    being sorted for the first time, rows show ids, and `missed` keeps what changed meanwhile.
 *  - MARK_PEAK of a block says whether it lived when the first peak_changes of the log had happened
 *    and there were peak_records records: in the end, at the heap's peak (select_peaks.c). */
#ifndef MODEL_SELECT_STATE_H
#define MODEL_SELECT_STATE_H

#include "model/amounts.h"
#include "model/select.h"
#include "model/state.h"

#define MARK_IN		1u
#define MARK_ACTIVE	2u
#define MARK_FREED	4u
#define MARK_LEAKED	8u
#define MARK_RUNTIME	16u	/* would be leaked, but is the runtime's own */
#define MARK_TOUCHED	32u	/* only inside order_update() */
#define MARK_PEAK	64u	/* alive at the peak; also of records that are not in */
#define MARK_TEMPORARY	128u

VECTOR_STRUCT(id_list, uint32_t);

struct sort_entry {
	uint64_t key;
	uint32_t id;
};

/* A radix sort that can be left and taken up again. */
struct sorter {
	struct sort_entry *items, *other;
	uint32_t *ids;		/* what is sorted, as it was when sorting began */
	size_t count, filled;
	uint64_t varying;	/* bits in which keys differ */
	uint64_t any, all;
	unsigned pass;		/* byte of the key */
	bool scattering;
	size_t at;
	size_t places[256];
};

/* Does a text occur?  Answers are kept: 0 not asked yet, 1 no, 2 yes. */
struct search {
	char *text;		/* lower case; NULL: no search */
	bool hex;		/* may be part of a pointer */
	struct { uint8_t *items; size_t count, capacity; } places, nodes, threads;
	uint8_t ops[256];
};

struct group {
	uint32_t site, example, thread;
	bool many_threads;
	struct amounts amounts;
	uint64_t first, last;	/* stamps */
};

/* Variances of a sampled trace (weight.h). */
struct group_noise {
	struct noise all, live, leaked, peak;
};
struct sums_noise {
	struct noise all, active, freed, leaked;
	struct noise histogram[SIZE_BUCKETS];
};

struct selection {
	struct heap *heap;
	struct select_filter filter;	/* .search unused: see search */
	struct search search;

	uint8_t *marks;
	size_t mark_capacity;
	struct id_list ids, touched, missed;
	uint32_t cursor;
	uint32_t again, again_end;	/* records to be looked at once more */
	bool again_wanted;
	bool caught_up;			/* all records were looked at */
	struct id_list young;		/* live, but under the minimum age; oldest first */
	size_t young_head;
	uint64_t changes;		/* of the heap's log, seen */
	uint32_t peak_records;		/* of blocks, see MARK_PEAK */
	uint64_t peak_changes;
	struct id_list pages;		/* records of pages below cursor */
	size_t pages_at;		/* those before it know the peak of */
	uint64_t pages_epoch;
	uint64_t exits_seen, symbols_seen, names_seen;
	uint64_t generation;

	enum select_column column;
	bool reverse;
	struct sorter sorter;
	bool sorting, order_valid;
	VECTOR(struct sort_entry) order, merge;
	VECTOR(uint32_t) ranks;		/* of threads, by name, when sorting began */

	VECTOR(struct group) groups;	/* amounts here and in sums are in units of weight.h */
	VECTOR(struct group_noise) group_noise; /* as many, when sampled */
	struct map group_of;		/* site -> index */
	VECTOR(struct amounts) threads;	/* by thread */
	uint64_t groups_epoch;		/* counts how often all groups were forgotten */
	enum cost cost;			/* what SELECT_BY_TOTAL is the total of */
	struct id_list group_rows;	/* indexes into groups, sorted */
	enum select_column group_column;
	bool group_reverse, groups_on, groups_dirty;

	struct select_sums sums;
	struct sums_noise noise;
};

/* select_match.c */
void search_set(struct search *search, const char *text);
void search_forget(struct search *search);
void search_release(struct search *search);
/* Mark bits of a record: 0, or MARK_IN and what it is. */
uint8_t match_record(struct selection *s, const struct record *r);

/* select_sort.c */
void order_restart(struct selection *s);
void order_update(struct selection *s, const struct id_list *touched);
bool order_step(struct selection *s, size_t max);
void order_free(struct selection *s);

/* select.c: look at a record once more. */
void select_evaluate(struct selection *s, uint32_t id);

/* select_peaks.c: bring MARK_PEAK up to date; returns what is left of max. */
size_t peaks_step(struct selection *s, size_t max);
bool peaks_ready(const struct selection *s);
bool peaks_of_pages(const struct selection *s, const struct record *r);

/* select_groups.c */
void group_peak(struct selection *s, uint32_t id, const struct record *r, bool enter);
void group_count(struct selection *s, uint32_t id, const struct record *r, uint8_t mark, bool enter);
void groups_clear(struct selection *s);
void groups_sort(struct selection *s);

/* stacks.c: does a frame of this place hold the (lower case) text? */
bool stack_place_matches(const struct heap *heap, uint32_t place, const char *text);
#endif
