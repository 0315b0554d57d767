/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call sites as the outside sees them. */
#include "model/sites.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "model/select_state.h"

static const uint64_t bucket_limits[SIZE_BUCKETS - 1] = {
	16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20,
};

unsigned size_bucket(uint64_t size)
{
	unsigned bucket = 0;

	while (bucket < SIZE_BUCKETS - 1 && size > bucket_limits[bucket])
		bucket++;
	return bucket;
}

const char *size_bucket_label(unsigned bucket)
{
	static const char *const labels[SIZE_BUCKETS] = {
		"<=16 B", "<=64 B", "<=256 B", "<=1 KiB", "<=4 KiB", "<=16 KiB", "<=64 KiB",
		"<=256 KiB", "<=1 MiB", ">1 MiB",
	};

	return bucket < SIZE_BUCKETS ? labels[bucket] : "?";
}

size_t site_count(const struct heap *heap)
{
	return heap->sites.count;
}

/* Names may come later: the answer holds for one generation of symbols. */
static bool site_runtime(struct heap *heap, struct site *site)
{
	if (site->runtime_generation != heap->modules.generation + 1) {
		site->runtime = runtime_stack(heap, site);
		site->runtime_generation = heap->modules.generation + 1;
	}
	return site->runtime;
}

bool site_is_runtime(struct heap *heap, uint32_t site)
{
	return site_runtime(heap, &heap->sites.items[site]);
}

/* While the program runs, of what exited threads left. */
const struct noise *site_leak_noise(const struct heap *heap, uint32_t site)
{
	const struct noise_books *books = noise_of_site(heap, site);

	return heap->status.leaks_final ? &books->live : &books->leaked;
}

static void site_margin(const struct heap *heap, const struct site *s, struct heap_site *out)
{
	struct noise_books books = *noise_of_site(heap, out->index);

	books.leaked = *site_leak_noise(heap, out->index);
	noise_margin(&books, s->epoch == heap->totals[s->class].epoch, &out->margin);
}

void site_get(struct heap *heap, uint32_t index, struct heap_site *out)
{
	struct site *s = &heap->sites.items[index];
	bool aside = s->epoch == heap->totals[s->class].epoch;
	bool final = heap->status.leaks_final;

	account_leaks(heap);
	*out = (struct heap_site){
		.index = index, .stack = s->stack, .class = s->class, .op = s->op, .bucket = s->bucket,
		.runtime = site_runtime(heap, s),
		.never_fell = !s->fell,
		.thread = s->thread, .many_threads = s->many_threads,
		.allocs = heap_count(heap, s->allocs), .alloc_bytes = heap_bytes(heap, s->alloc_bytes),
		.live = heap_count(heap, s->live), .live_bytes = heap_bytes(heap, s->live_bytes),
		.leaked = heap_count(heap, final ? s->live : s->leaked),
		.leaked_bytes = heap_bytes(heap, final ? s->live_bytes : s->leaked_bytes),
		.peak = heap_count(heap, aside ? s->peak : s->live),
		.peak_bytes = heap_bytes(heap, aside ? s->peak_bytes : s->live_bytes),
		.temporary = s->temporary,
		.first_ns = heap_ns(heap, s->first_stamp), .last_ns = heap_ns(heap, s->last_stamp),
	};
	if (heap->sampling.on && s->class == HEAP_BLOCKS)
		site_margin(heap, s, out);
}

uint64_t site_cost(const struct heap_site *site, enum site_cost cost)
{
	switch (cost) {
	case SITE_BY_LEAKED:
		return site->leaked_bytes ? site->leaked_bytes : site->leaked != 0;
	case SITE_BY_PEAK:
		return site->peak_bytes;
	case SITE_BY_ALLOCATED:
		return site->alloc_bytes;
	case SITE_BY_COUNT:
		return site->allocs;
	case SITE_BY_TEMPORARY:
		return site->temporary;
	case SITE_BY_LIVE:
		return site->live_bytes - site->leaked_bytes;
	default:
		return 0;
	}
}

struct ranked {
	uint64_t cost;
	uint32_t site;
};

/* Highest cost first, then oldest first. */
static bool before(const struct ranked *a, const struct ranked *b)
{
	return a->cost != b->cost ? a->cost > b->cost : a->site < b->site;
}

static size_t rank(struct ranked *top, size_t count, size_t max, struct ranked entry)
{
	size_t at = count < max ? count : max - 1;

	if (count == max && !before(&entry, &top[max - 1]))
		return count;
	for (; at > 0 && before(&entry, &top[at - 1]); at--)
		top[at] = top[at - 1];
	top[at] = entry;
	return count < max ? count + 1 : count;
}

size_t site_top(struct heap *heap, enum site_cost cost, enum heap_class which, bool with_runtime,
	uint32_t *out, size_t max)
{
	struct ranked *top = xcalloc(max + 1, sizeof(*top));
	size_t count = 0;

	for (uint32_t i = 0; max && i < heap->sites.count; i++) {
		struct heap_site site;
		struct ranked entry = { 0, i };

		if (heap->sites.items[i].class != which)
			continue;
		site_get(heap, i, &site);
		entry.cost = site_cost(&site, cost);
		if (entry.cost && (with_runtime || !site.runtime))
			count = rank(top, count, max, entry);
	}
	for (size_t i = 0; i < count; i++)
		out[i] = top[i].site;
	free(top);
	return count;
}
