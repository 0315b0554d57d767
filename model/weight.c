/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampled traces: weights and variances. */
#include "model/weight.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "model/state.h"

#define CONFIDENCE	1.959963985	/* standard deviations to each side that hold 95 % */

static const struct noise_books silence;

int sampling_start(struct heap *heap, uint64_t period)
{
	struct sampling *s = &heap->sampling;

	if (s->on)
		return 0;
	if (heap->status.events)
		return -EBUSY;
	s->on = true;
	s->period = (double)(period < WEIGHT_PERIOD_MAX ? period : WEIGHT_PERIOD_MAX);
	s->count_shift = WEIGHT_COUNT_SHIFT;
	s->bytes_shift = WEIGHT_BYTES_SHIFT;
	s->count_half = 1ull << WEIGHT_COUNT_SHIFT >> 1;
	s->bytes_half = 1ull << WEIGHT_BYTES_SHIFT >> 1;
	s->cache = xcalloc(WEIGHT_SLOTS, sizeof(*s->cache));
	return 0;
}

void sampling_release(struct sampling *s)
{
	free(s->cache);
	vector_release(&s->sites);
	vector_release(&s->threads);
}

/* Rounded; sizes that nobody has asked for may be beyond all bounds. */
static uint64_t whole(double value)
{
	return value < 0x1p63 ? (uint64_t)(value + 0.5) : (uint64_t)1 << 63;
}

static void weight_make(struct weight *w, uint64_t size, double period)
{
	double x = (double)(size ? size : 1) / period;
	double p = -expm1(-x), left = exp(-x), bytes = (double)size;
	double variance = left / p / p;

	w->size = size;
	w->known = true;
	w->count = whole(ldexp(1 / p, WEIGHT_COUNT_SHIFT));
	w->bytes = whole(ldexp(bytes / p, WEIGHT_BYTES_SHIFT));
	w->noise.count = (noise_sum)(ldexp(variance, 16) + 0.5);
	w->noise.bytes = (noise_sum)(variance * bytes * bytes + 0.5);
}

const struct weight *sampling_weight(struct sampling *s, uint64_t size)
{
	struct weight *w = &s->cache[size * 0x9e3779b97f4a7c15ull >> 56];

	if (w->size != size || !w->known)
		weight_make(w, size, s->period);
	return w;
}

static struct noise_books *site_books(struct heap *heap, uint32_t site)
{
	if (site >= heap->sampling.sites.count)
		vector_resize(&heap->sampling.sites, heap->sites.count);
	return &heap->sampling.sites.items[site];
}

static struct noise_books *thread_books(struct heap *heap, uint32_t thread)
{
	if (thread >= heap->sampling.threads.count)
		vector_resize(&heap->sampling.threads, heap->threads.count);
	return &heap->sampling.threads.items[thread];
}

const struct noise_books *noise_of_site(const struct heap *heap, uint32_t site)
{
	return site < heap->sampling.sites.count ? &heap->sampling.sites.items[site] : &silence;
}

const struct noise_books *noise_of_thread(const struct heap *heap, uint32_t thread)
{
	return thread < heap->sampling.threads.count ? &heap->sampling.threads.items[thread] : &silence;
}

void noise_put_aside(struct heap *heap, uint32_t site)
{
	struct noise_books *books = site_books(heap, site);

	books->peak = books->live;
}

static void grow(struct noise_books *books, const struct noise *noise)
{
	noise_add(&books->made, noise, true);
	noise_add(&books->live, noise, true);
}

void noise_alloc(struct heap *heap, const struct account *a, bool peak, bool leaked)
{
	const struct noise *noise = &a->weight->noise;
	struct noise_books *total = &heap->sampling.total, *site = site_books(heap, a->site);

	grow(site, noise);
	grow(thread_books(heap, a->thread), noise);
	grow(total, noise);
	if (leaked)
		noise_add(&site->leaked, noise, true);
	if (peak)
		total->peak = total->live;
}

void noise_leave(struct heap *heap, const struct account *a, bool leaked)
{
	const struct noise *noise = &a->weight->noise;
	struct noise_books *site = site_books(heap, a->site);

	noise_add(&site->live, noise, false);
	noise_add(&thread_books(heap, a->thread)->live, noise, false);
	noise_add(&heap->sampling.total.live, noise, false);
	if (leaked)
		noise_add(&site->leaked, noise, false);
}

void noise_gone(struct heap *heap, const struct account *a)
{
	noise_add(&heap->sampling.total.gone, &a->weight->noise, true);
}

void noise_leak(struct heap *heap, const struct account *a)
{
	noise_add(&site_books(heap, a->site)->leaked, &a->weight->noise, true);
}

static uint64_t margin(double variance)
{
	return whole(ceil(CONFIDENCE * sqrt(variance)));
}

uint64_t noise_count_margin(noise_sum count)
{
	return margin(ldexp((double)count, -16));
}

uint64_t noise_bytes_margin(noise_sum bytes)
{
	return margin((double)bytes);
}

void noise_margin(const struct noise_books *books, bool peak_aside, struct heap_margin *out)
{
	const struct noise *peak = peak_aside ? &books->peak : &books->live;

	*out = (struct heap_margin){
		.allocs = noise_count_margin(books->made.count),
		.alloc_bytes = noise_bytes_margin(books->made.bytes),
		.frees = noise_count_margin(books->made.count - books->live.count - books->gone.count),
		.freed_bytes = noise_bytes_margin(books->made.bytes - books->live.bytes - books->gone.bytes),
		.live = noise_count_margin(books->live.count),
		.live_bytes = noise_bytes_margin(books->live.bytes),
		.leaked = noise_count_margin(books->leaked.count),
		.leaked_bytes = noise_bytes_margin(books->leaked.bytes),
		.peak = noise_count_margin(peak->count), .peak_bytes = noise_bytes_margin(peak->bytes),
	};
}
