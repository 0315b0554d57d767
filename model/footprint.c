/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live blocks laid over resident pages.
 *
 * A sample costs time in proportion to live blocks and pages, so it is laid only when enough
 * events have passed since the last one: the work stays in proportion to the trace. */
#include "model/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/pages.h"
#include "model/state.h"

#define SAMPLES_MAX	4096u
#define LAY_COST	4u	/* a quarter of an event for a block or page to look at */
#define LAY_FREE	100000u	/* and so many are free with every sample */

void footprint_init(struct footprint_state *f)
{
	f->stride = 1;
}

void footprint_release(struct footprint_state *f)
{
	vector_release(&f->samples);
	vector_release(&f->known);
	if (f->lay.begun)
		pages_release(&f->lay.pages);
}

/* The higher one stays, and rather one that was laid. */
static bool is_better(const struct footprint_sample *a, const struct footprint_sample *b)
{
	if (a->laid != b->laid)
		return a->laid;
	return a->resident >= b->resident;
}

static void thin_out(struct footprint_state *f)
{
	struct footprint_sample *items = f->samples.items;

	for (size_t i = 0; i < f->samples.count / 2; i++)
		items[i] = is_better(&items[2 * i], &items[2 * i + 1]) ? items[2 * i] : items[2 * i + 1];
	f->samples.count /= 2;
	f->stride *= 2;
}

static void keep(struct footprint_state *f, const struct footprint_sample *sample)
{
	if (sample->resident > f->peak.resident)
		f->peak = *sample;
	if (f->samples.count && f->merged < f->stride) {
		if (is_better(sample, &vector_last(&f->samples)))
			vector_last(&f->samples) = *sample;
		f->merged++;
		return;
	}
	if (f->samples.count == SAMPLES_MAX)
		thin_out(f);
	vector_push(&f->samples, *sample);
	f->merged = 1;
}

/* Mappings that were the allocator's in the sample before still are, wherever they reach now. */
static bool was_known(const struct footprint_state *f, const struct page_map *map)
{
	for (size_t i = 0; i < f->known.count; i++)
		if (f->known.items[i].start < map->end && map->start < f->known.items[i].end)
			return true;
	return false;
}

static void remember(struct footprint_state *f, const struct pages *pages)
{
	vector_clear(&f->known);
	for (size_t i = 0; i < pages->maps.count; i++)
		if (pages->maps.items[i].allocator)
			vector_push(&f->known, (struct footprint_known){ pages->maps.items[i].start,
									 pages->maps.items[i].end });
}

/* Inner ranges make a mapping the allocator's; what the program mapped or moved the break for is
 * taken off. */
static void lay_ranges(struct heap *heap, struct pages *pages)
{
	for (size_t l = 0; l < heap->ranges.leaves.count; l++) {
		const struct ranges_leaf *leaf = heap->ranges.leaves.items[l];

		for (size_t i = 0; i < leaf->count; i++) {
			if (leaf->items[i].inner)
				pages_claim(pages, leaf->items[i].start, leaf->items[i].end);
			else
				pages_exclude(pages, leaf->items[i].start, leaf->items[i].end);
		}
	}
}

/* Samples do not cover the pages that all blocks are on. */
static bool may_lay(struct heap *heap, const struct pages *pages)
{
	struct footprint_state *f = &heap->footprint;
	uint64_t events = heap->status.events - f->laid_events + LAY_FREE;

	if (heap->sampling.on || events * LAY_COST < heap->live.mask + pages->count)
		return false;
	f->laid_events = heap->status.events;
	return true;
}

static void lay_block(struct heap *heap, const struct live_block *block)
{
	pages_block(&heap->footprint.lay.pages, block->ptr, block->size);
}

/* Returns whether the sample is a good one. */
static bool lay_begin(struct heap *heap, const struct trace_resident *resident)
{
	struct footprint_state *f = &heap->footprint;
	struct footprint_lay *lay = &f->lay;

	lay->sample = (struct footprint_sample){
		.stamp = resident->stamp, .asked = heap_bytes(heap, heap->totals[HEAP_BLOCKS].live_bytes),
	};
	if (pages_open(&lay->pages, resident)) {
		heap_damage(heap, "a damaged sample of resident pages was left out");
		return false;
	}
	for (size_t i = 0; i < lay->pages.maps.count; i++)
		lay->pages.maps.items[i].allocator |= was_known(f, &lay->pages.maps.items[i]);
	lay_ranges(heap, &lay->pages);
	lay->sample.laid = may_lay(heap, &lay->pages);
	return true;
}

static void lay_end(struct heap *heap)
{
	struct footprint_state *f = &heap->footprint;
	struct footprint_sample *sample = &f->lay.sample;

	pages_sum(&f->lay.pages, &sample->taken, &sample->resident, &sample->used, &sample->empty);
	remember(f, &f->lay.pages);
	pages_release(&f->lay.pages);
	/* Blocks but no memory: these are the pages of an image that has just begun. */
	if (sample->taken || !heap->live.count)
		keep(f, sample);
}

bool footprint_take(struct heap *heap, const struct trace_resident *resident)
{
	struct footprint_lay *lay = &heap->footprint.lay;

	if (!lay->begun && !lay_begin(heap, resident))
		return true;
	lay->begun = lay->sample.laid && !heap_walk(heap, &lay->at, lay_block);
	if (!lay->begun)
		lay_end(heap);
	return !lay->begun;
}

/* Another program: its allocator's mappings are new ones. */
void footprint_exec(struct heap *heap)
{
	vector_clear(&heap->footprint.known);
}

enum footprint_source footprint_source(const struct heap *heap)
{
	if (heap->footprint.samples.count)
		return FOOTPRINT_PAGES;
	return heap->rss.count > 1 ? FOOTPRINT_RSS : FOOTPRINT_NONE;
}

size_t footprint_count(const struct heap *heap)
{
	return heap->footprint.samples.count ? heap->footprint.samples.count : heap->rss.count;
}

static void sample_out(const struct heap *heap, const struct footprint_sample *s, struct footprint *out)
{
	*out = (struct footprint){
		.ns = heap_ns(heap, s->stamp), .asked = s->asked, .taken = s->taken,
		.resident = s->resident, .used = s->used, .empty = s->empty, .laid = s->laid,
	};
}

static void rss_out(const struct heap *heap, const struct rss_sample *s, struct footprint *out)
{
	*out = (struct footprint){
		.ns = heap_ns(heap, s->rss.stamp), .asked = s->blocks, .taken = s->inner,
		.resident = s->rss.rss * 1024,
	};
}

void footprint_at(const struct heap *heap, size_t index, struct footprint *out)
{
	if (heap->footprint.samples.count)
		sample_out(heap, &heap->footprint.samples.items[index], out);
	else
		rss_out(heap, &heap->rss.items[index], out);
}

bool footprint_peak(const struct heap *heap, struct footprint *out)
{
	if (heap->footprint.samples.count)
		sample_out(heap, &heap->footprint.peak, out);
	else if (heap->rss.count)
		rss_out(heap, &heap->rss_peak, out);
	return footprint_count(heap) != 0;
}

unsigned footprint_fragmentation(const struct footprint *f)
{
	if (!f->laid || !f->resident || f->used >= f->resident)
		return 0;
	return (unsigned)((f->resident - f->used) * 1000 / f->resident);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

size_t footprint_rows(const struct heap *heap, size_t *rows, size_t max)
{
	size_t count = footprint_count(heap), at = 0, n = 0;
	struct footprint first, last, here, next;

	if (!count)
		return 0;
	footprint_at(heap, 0, &first);
	footprint_at(heap, count - 1, &last);
	for (size_t i = 0; i < max; i++) {
		uint64_t want = max > 1 ? first.ns + (last.ns - first.ns) / (max - 1) * i : last.ns;

		for (; at + 1 < count; at++) {
			footprint_at(heap, at, &here);
			footprint_at(heap, at + 1, &next);
			if (distance(next.ns, want) > distance(here.ns, want))
				break;
		}
		if (!n || rows[n - 1] != at)
			rows[n++] = at;
	}
	return n;
}
