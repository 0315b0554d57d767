/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a selection; for the select files alone.
 *
 * Invariants
 *  - The mark of each record below `cursor` says whether it is in, and as what it was counted.  By
 *    time, that is all there is: rows are found by counting marks.
 *  - order (another sort than by time) holds the records that were in when it was made, and
 *    `missed` those that came or went since; from time to time they are merged into it.  While an
 *    order is sorted for the first time, rows stand by time, or as they stood before.
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
#define MARK_SORTED	32u	/* while sorting: is to be in; while merging: is to leave its place */
#define MARK_PEAK	64u	/* alive at the peak; also of records that are not in */
#define MARK_TEMPORARY	128u

VECTOR_STRUCT(id_list, uint32_t);

/* Fuzzers have few records, and shall come to the end of a chunk. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define MARKS_CHUNK	64u
#define ORDER_CHUNK	64u
#else
#define MARKS_CHUNK	(2u << 20)
#define ORDER_CHUNK	(1u << 19)
#endif

/* select_marks.c */
struct marks {
	VECTOR(uint8_t *) chunks;	/* of MARKS_CHUNK; pieces of heap->spill */
	size_t room;			/* records they have room for */
	VECTOR(uint32_t) in;		/* of each block of records: how many are in */
	VECTOR(uint32_t) before;	/* how many are in before each; the first `known` hold */
	size_t known;
	size_t count;			/* all that are in */
	bool near_known;		/* the row that was asked for last */
	uint64_t near_generation;
	size_t near_row;
	uint32_t near_id;
};

/* Ids by bucket, and in each by key and id.  Buckets follow one another as keys do; in an exact
 * one all keys are the same, so its ids stand upwards. */
#define ORDER_BUCKETS	65536u
struct order {
	enum select_column column;
	VECTOR(uint32_t *) chunks;	/* of ORDER_CHUNK; pieces of heap->spill */
	size_t count;
	uint32_t *starts;		/* of ORDER_BUCKETS buckets, and the end */
	VECTOR(uint32_t) ranks;		/* of threads by name, when it was made */
	unsigned shift;			/* of ranks: a bucket holds 1 << shift threads */
	size_t end;			/* all ids are below */
};

struct sort_entry {
	uint64_t key;
	uint32_t id;
};

/* A radix sort of entries by key, that can be left and taken up again. */
struct radix {
	struct sort_entry *items, *other;	/* pieces of heap->spill */
	size_t count, room;
	uint64_t any, all;	/* bits of all keys together, bits that all have */
	uint32_t any_id, all_ids; /* the same of ids */
	unsigned pass;		/* byte of the key */
	bool scattering;
	size_t at;
	size_t places[256];
};

/* What is under way: an order that is made, or merged with what it missed. */
enum sorter_phase {
	SORTER_RESTS,
	SORTER_COUNTS, SORTER_PLACES, SORTER_REFINES,		/* a new order */
	SORTER_TOUCHES, SORTER_RANKS, SORTER_MERGES, SORTER_TIDIES, /* a merge */
};
struct sorter {
	enum sorter_phase phase;
	struct order made;
	size_t at, row, end, entry;
	VECTOR(uint16_t *) buckets;	/* by row, of a new order; chunks of ORDER_CHUNK */
	uint32_t *places;
	uint32_t bucket;
	struct radix radix;
	struct id_list touched;		/* by a merge */
	bool leaving;			/* some of them stand in the order */
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

struct thread_amounts {
	struct amounts of[HEAP_PAGES + 1];	/* by class */
};

/* Variances of a sampled trace (weight.h). */
struct group_noise {
	struct noise all, live, leaked, peak;
};
void group_noise_margin(const struct group_noise *noise, struct heap_margin *out);
struct sums_noise {
	struct noise all, active, freed, leaked;
	struct noise histogram[SIZE_BUCKETS];
};

struct selection {
	struct heap *heap;
	struct select_filter filter;	/* .search unused: see search */
	struct search search;

	struct marks marks;
	struct id_list missed;
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
	struct order order;
	struct sorter sorter;
	bool order_valid;
	enum select_column column_before; /* of the order that rows have until the new one is made */
	bool reverse_before;
	bool resorting;			/* they have one */

	bool complete;			/* was up to date since the filter was set */
	struct selection *former;	/* what it was under the filter before, until this is up to date */
	uint32_t goal;			/* records that are to be looked at first of all */

	VECTOR(struct group) groups;	/* amounts here and in sums are in units of weight.h */
	VECTOR(struct group_noise) group_noise; /* as many, when sampled */
	struct map group_of;		/* site -> index */
	VECTOR(struct thread_amounts) threads;	/* by thread */
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

/* select_marks.c */
void marks_release(struct selection *s);
void marks_reserve(struct selection *s, uint32_t records);
void marks_clear(struct selection *s, const struct marks *from);
void marks_count(struct selection *s, uint32_t id, bool in);
size_t marks_rank(const struct selection *s, uint32_t id);
uint32_t marks_at(const struct selection *s, size_t row);
static inline uint8_t *mark_at(const struct selection *s, uint32_t id)
{
	return &s->marks.chunks.items[id / MARKS_CHUNK][id % MARKS_CHUNK];
}

/* select_order.c: the order as a list of ids. */
static inline uint32_t *order_at(const struct order *o, size_t at)
{
	return &o->chunks.items[at / ORDER_CHUNK][at % ORDER_CHUNK];
}
bool order_reserve_ids(struct selection *s, struct order *o, size_t count);
void order_release_ids(struct selection *s, struct order *o);
void order_begin(struct selection *s, struct order *o, enum select_column column);
uint64_t order_key(const struct selection *s, const struct order *o, uint32_t id);
uint32_t order_bucket(const struct order *o, uint64_t key);
bool order_is_exact(const struct order *o, uint32_t bucket);
/* Where id stands, or would stand. */
size_t order_place(const struct selection *s, const struct order *o, uint64_t key, uint32_t id);

/* select_radix.c */
bool radix_start(struct selection *s, struct radix *r, size_t count);
void radix_stop(struct selection *s, struct radix *r);
void radix_add(struct radix *r, uint64_t key, uint32_t id);
/* Returns what is left of max; *done: sorted. */
size_t radix_step(struct radix *r, size_t max, bool *done);

/* select_sort.c */
void sort_restart(struct selection *s);
void sort_stop(struct selection *s);	/* forgets order and work */
bool sort_cancel(struct selection *s);	/* rows stand as they did before */
bool sort_step(struct selection *s, size_t max);
unsigned sort_progress(const struct selection *s);
static inline bool sort_is_new(const struct selection *s)
{
	return s->sorter.phase > SORTER_RESTS && s->sorter.phase < SORTER_TOUCHES;
}

/* select_merge.c: bring what the order missed into it. */
void merge_start(struct selection *s);
size_t merge_step(struct selection *s, size_t max);

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
