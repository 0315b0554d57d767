/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection by call site, and its sums. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"

#define NS_PER_S	1000000000.0
#define SPAN_MIN_NS	1000000u	/* one burst is no rate */
#define GROUPS_FEW	4096u		/* sorted at every step, more only when all is in */

static struct group *group_get(struct selection *s, uint32_t id, const struct record *r)
{
	uint32_t site = record_site(s->heap, r);
	bool created;
	uint64_t *index = map_place(&s->group_of, site, &created);

	if (created) {
		struct group made = {
			.site = site, .example = id, .thread = r->thread,
			.first = r->alloc_stamp, .last = r->alloc_stamp,
		};

		*index = s->groups.count;
		vector_push(&s->groups, made);
	}
	return &s->groups.items[*index];
}

/* What an allocation adds by its mark. */
static void amounts_of(const struct account *a, uint8_t mark, struct amounts *out)
{
	bool live = mark & (MARK_ACTIVE | MARK_LEAKED | MARK_RUNTIME), leaked = mark & MARK_LEAKED;
	bool peak = mark & MARK_PEAK;

	*out = (struct amounts){
		.count = a->count, .bytes = a->size,
		.live = live ? a->count : 0, .live_bytes = live ? a->size : 0,
		.leaked = leaked ? a->count : 0, .leaked_bytes = leaked ? a->size : 0,
		.peak = peak ? a->count : 0, .peak_bytes = peak ? a->size : 0,
		.temporary = mark & MARK_TEMPORARY ? a->count : 0,
	};
}

static struct amounts *thread_amounts(struct selection *s, uint32_t thread, enum heap_class class)
{
	if (thread >= s->threads.count)
		vector_resize(&s->threads, thread + 1);
	return &s->threads.items[thread].of[class];
}

static void sums_add(struct select_sums *sums, const struct account *a, unsigned bucket, uint8_t mark,
	uint64_t sign)
{
	uint64_t count = a->count * sign, size = a->size * sign;

	sums->count += count;
	sums->bytes += size;
	sums->histogram[bucket].count += count;
	sums->histogram[bucket].bytes += size;
	if (a->class == HEAP_PAGES) {
		sums->maps += count;
		sums->map_bytes += size;
	}
	if (mark & MARK_ACTIVE) {
		sums->active += count;
		sums->active_bytes += size;
	} else if (mark & MARK_FREED) {
		sums->freed += count;
		sums->freed_bytes += size;
	} else if (mark & MARK_LEAKED) {
		sums->leaked += count;
		sums->leaked_bytes += size;
	} else {
		sums->runtime += count;
		sums->runtime_bytes += size;
	}
}

static void noise_count(struct selection *s, const struct group *g, const struct noise *noise,
	unsigned bucket, uint8_t mark, bool enter)
{
	struct group_noise *group;

	vector_resize(&s->group_noise, s->groups.count);
	group = &s->group_noise.items[g - s->groups.items];
	noise_add(&group->all, noise, enter);
	noise_add(&s->noise.all, noise, enter);
	noise_add(&s->noise.histogram[bucket], noise, enter);
	if (mark & (MARK_ACTIVE | MARK_LEAKED | MARK_RUNTIME))
		noise_add(&group->live, noise, enter);
	if (mark & MARK_LEAKED)
		noise_add(&group->leaked, noise, enter);
	if (mark & MARK_PEAK)
		noise_add(&group->peak, noise, enter);
	if (mark & (MARK_ACTIVE | MARK_FREED | MARK_LEAKED))
		noise_add(mark & MARK_ACTIVE ? &s->noise.active : mark & MARK_FREED ? &s->noise.freed :
			  &s->noise.leaked, noise, enter);
}

static void group_see(struct group *g, uint32_t id, const struct record *r)
{
	if (id < g->example)
		g->example = id;
	if (r->alloc_stamp < g->first)
		g->first = r->alloc_stamp;
	if (r->alloc_stamp > g->last)
		g->last = r->alloc_stamp;
	g->many_threads |= r->thread != g->thread;
}

/* A record enters or leaves as what its mark says; leaving is adding minus one. */
void group_count(struct selection *s, uint32_t id, const struct record *r, uint8_t mark, bool enter)
{
	struct account a = record_account(s->heap, r);
	uint64_t sign = enter ? 1 : UINT64_MAX;
	unsigned bucket = size_bucket(record_size(r));
	struct group *g = group_get(s, id, r);
	struct amounts more;

	sums_add(&s->sums, &a, bucket, mark, sign);
	if (enter && !g->amounts.count) {
		g->first = g->last = r->alloc_stamp;
		g->example = id;
		g->thread = r->thread;
		g->many_threads = false;
	}
	amounts_of(&a, mark, &more);
	amounts_add(&g->amounts, &more, sign);
	amounts_add(thread_amounts(s, r->thread, a.class), &more, sign);
	if (a.weight)
		noise_count(s, g, &a.weight->noise, bucket, mark, enter);
	if (enter)
		group_see(g, id, r);
	s->groups_dirty = true;
}

/* One that is in turns out to have been alive at the peak, or not. */
void group_peak(struct selection *s, uint32_t id, const struct record *r, bool enter)
{
	struct account a = record_account(s->heap, r);
	struct group *g = group_get(s, id, r);
	struct amounts more = { .peak = a.count, .peak_bytes = a.size };

	amounts_add(&g->amounts, &more, enter ? 1 : UINT64_MAX);
	amounts_add(thread_amounts(s, r->thread, a.class), &more, enter ? 1 : UINT64_MAX);
	if (a.weight) {
		vector_resize(&s->group_noise, s->groups.count);
		noise_add(&s->group_noise.items[g - s->groups.items].peak, &a.weight->noise, enter);
	}
	s->groups_dirty = true;
	s->generation++;
}

void groups_clear(struct selection *s)
{
	vector_clear(&s->threads);
	s->groups_epoch++;
	vector_clear(&s->groups);
	map_clear(&s->group_of);
	vector_clear(&s->group_rows);
	vector_clear(&s->group_noise);
	memset(&s->sums, 0, sizeof(s->sums));
	memset(&s->noise, 0, sizeof(s->noise));
	s->groups_dirty = true;
}

static double rate_of(const struct heap *heap, const struct group *g)
{
	uint64_t span = heap_ns(heap, g->last) - heap_ns(heap, g->first);

	return (double)heap_bytes(heap, g->amounts.bytes) * NS_PER_S / (double)(span > SPAN_MIN_NS ? span : SPAN_MIN_NS);
}

struct ranked_group {
	double key;
	uint32_t index;
};

static int compare(const void *a, const void *b)
{
	const struct ranked_group *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static double key_of(const struct selection *s, const struct group *g)
{
	if (s->group_column == SELECT_BY_COUNT)
		return (double)g->amounts.count;
	return s->group_column == SELECT_BY_RATE ? rate_of(s->heap, g) : (double)cost_of(&g->amounts, s->cost);
}

/* Put the rows in order if something changed; while much is still to come, only if it is cheap. */
void groups_sort(struct selection *s)
{
	struct ranked_group *ranked;
	size_t count = 0;

	if (!s->groups_on || !s->groups_dirty || (!s->caught_up && s->groups.count > GROUPS_FEW))
		return;
	ranked = xreallocarray(NULL, s->groups.count + 1, sizeof(*ranked));
	for (uint32_t i = 0; i < s->groups.count; i++)
		if (s->groups.items[i].amounts.count)
			ranked[count++] = (struct ranked_group){ key_of(s, &s->groups.items[i]), i };
	qsort(ranked, count, sizeof(*ranked), compare);
	vector_resize(&s->group_rows, count);
	for (size_t i = 0; i < count; i++)
		s->group_rows.items[i] = ranked[i].index;
	free(ranked);
	s->groups_dirty = false;
	s->generation++;
}

size_t select_group_count(const struct selection *s)
{
	return s->group_rows.count;
}

/* The example may have left since: take the next record of the site that is in. */
static uint32_t example_of(const struct selection *s, struct group *g)
{
	uint32_t id = g->example;

	if (!g->amounts.count)
		return id;
	while (id < s->cursor && (!(*mark_at(s, id) & MARK_IN) ||
				  record_site(s->heap, record_at(s->heap, id)) != g->site))
		id++;
	if (id < s->cursor)
		g->example = id;
	return g->example;
}

void group_noise_margin(const struct group_noise *noise, struct heap_margin *out)
{
	*out = (struct heap_margin){
		.allocs = noise_count_margin(noise->all.count),
		.alloc_bytes = noise_bytes_margin(noise->all.bytes),
		.live = noise_count_margin(noise->live.count),
		.live_bytes = noise_bytes_margin(noise->live.bytes),
		.leaked = noise_count_margin(noise->leaked.count),
		.leaked_bytes = noise_bytes_margin(noise->leaked.bytes),
		.peak = noise_count_margin(noise->peak.count),
		.peak_bytes = noise_bytes_margin(noise->peak.bytes),
	};
}

static void group_margin(const struct selection *s, size_t index, struct heap_margin *out)
{
	const struct group_noise *noise;

	if (index >= s->group_noise.count)
		return;
	noise = &s->group_noise.items[index];
	group_noise_margin(noise, out);
}

void select_group_at(const struct selection *s, size_t row, struct select_group *out)
{
	size_t at = s->group_reverse ? s->group_rows.count - 1 - row : row;
	const struct heap *heap = s->heap;
	struct group *g = &s->groups.items[s->group_rows.items[at]];
	struct amounts a;

	amounts_whole(heap, &g->amounts, &a);
	*out = (struct select_group){
		.site = g->site, .example = example_of(s, g), .thread = g->thread,
		.many_threads = g->many_threads,
		.never_fell = !heap->sites.items[g->site].fell,
		.count = a.count, .bytes = a.bytes, .live = a.live, .live_bytes = a.live_bytes,
		.leaked = a.leaked, .leaked_bytes = a.leaked_bytes,
		.peak = a.peak, .peak_bytes = a.peak_bytes, .temporary = a.temporary,
		.first_ns = heap_ns(heap, g->first), .last_ns = heap_ns(heap, g->last),
		.rate = rate_of(heap, g),
	};
	group_margin(s, s->group_rows.items[at], &out->margin);
}

size_t select_group_find(const struct selection *s, uint32_t site)
{
	for (size_t i = 0; i < s->group_rows.count; i++)
		if (s->groups.items[s->group_rows.items[i]].site == site)
			return s->group_reverse ? s->group_rows.count - 1 - i : i;
	return SIZE_MAX;
}

void select_group_amounts(const struct select_group *g, struct amounts *out)
{
	*out = (struct amounts){
		.count = g->count, .bytes = g->bytes, .live = g->live, .live_bytes = g->live_bytes,
		.leaked = g->leaked, .leaked_bytes = g->leaked_bytes,
		.peak = g->peak, .peak_bytes = g->peak_bytes, .temporary = g->temporary,
	};
}

void select_thread(const struct selection *s, uint32_t thread, enum heap_class which, struct amounts *out)
{
	static const struct amounts none;

	amounts_whole(s->heap, thread < s->threads.count ? &s->threads.items[thread].of[which] : &none, out);
}

static void sums_margin(const struct sums_noise *noise, struct select_sums *out)
{
	out->margin = (struct heap_margin){
		.allocs = noise_count_margin(noise->all.count),
		.alloc_bytes = noise_bytes_margin(noise->all.bytes),
		.live = noise_count_margin(noise->active.count),
		.live_bytes = noise_bytes_margin(noise->active.bytes),
		.frees = noise_count_margin(noise->freed.count),
		.freed_bytes = noise_bytes_margin(noise->freed.bytes),
		.leaked = noise_count_margin(noise->leaked.count),
		.leaked_bytes = noise_bytes_margin(noise->leaked.bytes),
	};
	for (unsigned i = 0; i < SIZE_BUCKETS; i++) {
		out->histogram_margin[i].count = noise_count_margin(noise->histogram[i].count);
		out->histogram_margin[i].bytes = noise_bytes_margin(noise->histogram[i].bytes);
	}
}

void select_sums(const struct selection *s, struct select_sums *out)
{
	const struct select_sums *units = &s->sums;
	const struct heap *heap = s->heap;

	*out = (struct select_sums){
		.count = heap_count(heap, units->count), .bytes = heap_bytes(heap, units->bytes),
		.active = heap_count(heap, units->active), .active_bytes = heap_bytes(heap, units->active_bytes),
		.freed = heap_count(heap, units->freed), .freed_bytes = heap_bytes(heap, units->freed_bytes),
		.leaked = heap_count(heap, units->leaked), .leaked_bytes = heap_bytes(heap, units->leaked_bytes),
		.runtime = heap_count(heap, units->runtime),
		.runtime_bytes = heap_bytes(heap, units->runtime_bytes),
		.maps = heap_count(heap, units->maps), .map_bytes = heap_bytes(heap, units->map_bytes),
	};
	for (unsigned i = 0; i < SIZE_BUCKETS; i++) {
		out->histogram[i].count = heap_count(heap, units->histogram[i].count);
		out->histogram[i].bytes = heap_bytes(heap, units->histogram[i].bytes);
	}
	if (heap->sampling.on)
		sums_margin(&s->noise, out);
}
