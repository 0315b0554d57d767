/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at all records, in steps. */
#include "model/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"

/* Lifetimes fall into LIFE_PARTS buckets for each power of two. */
#define LIFE_BITS	3u
#define LIFE_PARTS	(1u << LIFE_BITS)
#define LIFE_BUCKETS	(64u * LIFE_PARTS)

struct scan {
	struct heap *heap;
	void (*look)(struct scan *scan, const struct record *r);
	uint32_t at, end;
	uint32_t site, thread, id;
	uint64_t from, to;		/* ns */
	uint64_t count, bytes;		/* in units of the books */
	struct map index_of;		/* stack -> index in found */
	VECTOR(struct scan_free_site) found;
	struct scan_lifetimes lives;
	uint32_t lived[LIFE_BUCKETS];	/* how many of them lived so long */
};

static struct scan *scan_new(struct heap *heap, void (*look)(struct scan *scan, const struct record *r))
{
	struct scan *scan = xcalloc(1, sizeof(*scan));

	scan->heap = heap;
	scan->look = look;
	scan->end = heap->records.count;
	map_init(&scan->index_of);
	return scan;
}

void scan_free(struct scan *scan)
{
	if (!scan)
		return;
	map_release(&scan->index_of);
	vector_release(&scan->found);
	free(scan);
}

bool scan_step(struct scan *scan, size_t max)
{
	for (; max && scan->at < scan->end; scan->at++, max--)
		scan->look(scan, record_at(scan->heap, scan->at));
	spill_trim(scan->heap->spill);
	return scan->at >= scan->end;
}

static unsigned life_bucket(uint64_t ns)
{
	unsigned power;

	if (ns < LIFE_PARTS)
		return (unsigned)ns;
	power = 63 - (unsigned)__builtin_clzll(ns);
	return (power - LIFE_BITS + 1) * LIFE_PARTS + (unsigned)(ns >> (power - LIFE_BITS)) % LIFE_PARTS;
}

/* The middle of a bucket. */
static uint64_t life_of_bucket(unsigned bucket)
{
	unsigned shift;

	if (bucket < LIFE_PARTS)
		return bucket;
	shift = bucket / LIFE_PARTS - 1;
	return ((uint64_t)(LIFE_PARTS + bucket % LIFE_PARTS) << shift) + ((1ull << shift) >> 1);
}

static void note_life(struct scan *scan, const struct record *r)
{
	struct scan_lifetimes *l = &scan->lives;
	uint64_t born = heap_ns(scan->heap, r->alloc_stamp), died = heap_ns(scan->heap, r->free_stamp);
	uint64_t ns = died > born ? died - born : 0;

	if (!l->count || ns < l->shortest_ns)
		l->shortest_ns = ns;
	if (ns > l->longest_ns)
		l->longest_ns = ns;
	l->count++;
	scan->lived[life_bucket(ns)]++;
}

void scan_lifetimes(const struct scan *scan, struct scan_lifetimes *out)
{
	uint64_t left = (scan->lives.count + 1) / 2;
	unsigned bucket = 0;

	*out = scan->lives;
	if (!out->count)
		return;
	while (left > scan->lived[bucket])
		left -= scan->lived[bucket++];
	out->median_ns = life_of_bucket(bucket);
	if (out->median_ns < out->shortest_ns)
		out->median_ns = out->shortest_ns;
	if (out->median_ns > out->longest_ns)
		out->median_ns = out->longest_ns;
}

static void look_free(struct scan *scan, const struct record *r)
{
	bool created;
	uint64_t *index;

	if (record_state(r) != RECORD_FREED || record_site(scan->heap, r) != scan->site)
		return;
	index = map_place(&scan->index_of, r->free_stack, &created);
	if (created) {
		*index = scan->found.count;
		vector_push(&scan->found,
			    (struct scan_free_site){ r->free_stack ? r->free_stack : HEAP_NONE, 0 });
	}
	scan->found.items[*index].count++;
	note_life(scan, r);
}

struct scan *scan_of_free_sites(struct heap *heap, uint32_t site)
{
	struct scan *scan = scan_new(heap, look_free);

	scan->site = site;
	return scan;
}

static int compare_counts(const void *a, const void *b)
{
	const struct scan_free_site *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : (x->stack > y->stack) - (x->stack < y->stack);
}

size_t scan_free_sites(struct scan *scan, struct scan_free_site *out, size_t max)
{
	size_t count = scan->found.count < max ? scan->found.count : max;

	if (scan->found.count)
		qsort(scan->found.items, scan->found.count, sizeof(*scan->found.items), compare_counts);
	if (count)
		memcpy(out, scan->found.items, count * sizeof(*out));
	return count;
}

static bool freed_in_time(const struct scan *scan, const struct record *r)
{
	uint64_t died;

	if (record_state(r) != RECORD_FREED || (scan->thread != HEAP_NONE && scan->thread != r->thread))
		return false;
	died = heap_ns(scan->heap, r->free_stamp);
	return died >= scan->from && died <= scan->to && heap_ns(scan->heap, r->alloc_stamp) < scan->from;
}

static void look_before(struct scan *scan, const struct record *r)
{
	struct account a;

	if (!freed_in_time(scan, r))
		return;
	a = record_account(scan->heap, r);
	scan->count += a.count;
	scan->bytes += a.size;
}

struct scan *scan_of_before(const struct selection *s)
{
	const struct select_filter *f = &s->filter;
	struct scan *scan = scan_new(s->heap, look_before);

	scan->thread = f->thread;
	scan->from = f->range ? f->range_from_ns : f->delta_ns + 1;
	scan->to = f->range ? f->range_to_ns : UINT64_MAX;
	if (!f->range && !f->delta)
		scan->end = 0;
	return scan;
}

void scan_before(const struct scan *scan, struct scan_before *out)
{
	*out = (struct scan_before){ heap_count(scan->heap, scan->count), heap_bytes(scan->heap, scan->bytes) };
}

static void look_total(struct scan *scan, const struct record *r)
{
	if (r->thread == scan->thread && !(record_flags(r) & RECORD_PIECE))
		scan->bytes += record_units(scan->heap, r);
}

/* From the last answer on, when it was of the same thread and lies before. */
struct scan *scan_of_total(struct heap *heap, uint32_t id)
{
	struct scan *scan = scan_new(heap, look_total);

	scan->id = id;
	scan->thread = record_at(heap, id)->thread;
	scan->end = id + 1;
	if (heap->asked.known && heap->asked.thread == scan->thread && heap->asked.id <= id) {
		scan->at = heap->asked.id + 1;
		scan->bytes = heap->asked.total;
	}
	return scan;
}

uint64_t scan_total(const struct scan *scan)
{
	scan->heap->asked.id = scan->id;
	scan->heap->asked.thread = scan->thread;
	scan->heap->asked.total = scan->bytes;
	scan->heap->asked.known = true;
	return heap_bytes(scan->heap, scan->bytes);
}
