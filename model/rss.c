/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of resident memory, each with what the trace knew at its moment.
 *
 * When there are RSS_SAMPLES_MAX of them, neighbours are merged (the higher one stays), so the
 * series covers any length of time in bounded memory and keeps its peaks. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"

#define RSS_WAITING_MAX	64u

static void thin_out(struct heap *heap)
{
	struct rss_sample *items = heap->rss.items;

	for (size_t i = 0; i < heap->rss.count / 2; i++)
		items[i] = items[2 * i].rss.rss >= items[2 * i + 1].rss.rss ? items[2 * i] : items[2 * i + 1];
	heap->rss.count /= 2;
	heap->rss_stride *= 2;
}

static void keep(struct heap *heap, const struct rss_sample *sample)
{
	if (sample->rss.rss > heap->rss_peak.rss.rss)
		heap->rss_peak = *sample;
	if (heap->rss.count && heap->rss_merged < heap->rss_stride) {
		if (sample->rss.rss > vector_last(&heap->rss).rss.rss)
			vector_last(&heap->rss) = *sample;
		heap->rss_merged++;
		return;
	}
	if (heap->rss.count == RSS_SAMPLES_MAX)
		thin_out(heap);
	vector_push(&heap->rss, *sample);
	heap->rss_merged = 1;
}

static void take(struct heap *heap, const struct trace_rss *rss)
{
	struct rss_sample sample = {
		.rss = *rss,
		.blocks = heap_bytes(heap, heap->totals[HEAP_BLOCKS].live_bytes),
		.pages = heap_bytes(heap, heap->totals[HEAP_PAGES].live_bytes),
		.inner = heap->totals[HEAP_INNER].live_bytes,
	};

	keep(heap, &sample);
}

static void take_waiting(struct heap *heap, struct sample_wait *w)
{
	order_until(heap, w->stamp);
	if (w->resident.packed.data)
		footprint_take(heap, &w->resident);
	else
		take(heap, &w->rss);
	free((void *)w->resident.packed.data);
}

/* Events up to stamp have come: pass them on, and take each sample when the order reaches it. */
void rss_settle(struct heap *heap, uint64_t stamp)
{
	size_t done = 0;

	for (; done < heap->rss_wait.count && heap->rss_wait.items[done].stamp <= stamp; done++)
		take_waiting(heap, &heap->rss_wait.items[done]);
	if (done) {
		heap->rss_wait.count -= done;
		memmove(heap->rss_wait.items, heap->rss_wait.items + done,
			heap->rss_wait.count * sizeof(*heap->rss_wait.items));
	}
	order_until(heap, stamp);
}

/* It waits for the events before it; too many waiting means that no order comes. */
static void add(struct heap *heap, const struct sample_wait *w)
{
	size_t at = heap->rss_wait.count;

	heap_saw(heap, w->stamp);
	vector_push(&heap->rss_wait, *w);
	for (; at && heap->rss_wait.items[at - 1].stamp > w->stamp; at--)
		heap->rss_wait.items[at] = heap->rss_wait.items[at - 1];
	heap->rss_wait.items[at] = *w;
	if (w->stamp <= heap->sync_stamp)
		rss_settle(heap, w->stamp);
	else if (heap->rss_wait.count > RSS_WAITING_MAX)
		rss_settle(heap, heap->rss_wait.items[0].stamp);
}

void rss_add(struct heap *heap, const struct trace_rss *sample)
{
	add(heap, &(struct sample_wait){ .stamp = sample->stamp, .rss = *sample });
}

void rss_add_resident(struct heap *heap, const struct trace_resident *resident)
{
	struct sample_wait w = { .stamp = resident->stamp, .resident = *resident };
	size_t length = resident->packed.length;

	w.resident.packed.data = memcpy(xmalloc(length + 1), length ? resident->packed.data : "", length);
	add(heap, &w);
}

void rss_release(struct heap *heap)
{
	for (size_t i = 0; i < heap->rss_wait.count; i++)
		free((void *)heap->rss_wait.items[i].resident.packed.data);
	vector_release(&heap->rss_wait);
	vector_release(&heap->rss);
}
