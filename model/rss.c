/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of resident memory, each with what the trace knew at its moment.
 *
 * When there are RSS_SAMPLES_MAX of them, neighbours are merged (the higher one stays), so the
 * series covers any length of time in bounded memory and keeps its peaks. */
#include "model/state.h"

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

/* Events up to stamp are in: a sample that waited for them can be taken. */
void rss_settle(struct heap *heap, uint64_t stamp)
{
	struct rss_sample sample = {
		.rss = heap->rss_wait,
		.blocks = heap->totals[HEAP_BLOCKS].live_bytes,
		.pages = heap->totals[HEAP_PAGES].live_bytes,
		.inner = heap->totals[HEAP_INNER].live_bytes,
	};

	if (!heap->rss_wait.stamp || heap->rss_wait.stamp > stamp)
		return;
	keep(heap, &sample);
	heap->rss_wait.stamp = 0;
}

/* Put the order right up to the sample's moment first, as far as events have come. */
void rss_add(struct heap *heap, const struct trace_rss *sample)
{
	rss_settle(heap, UINT64_MAX);
	heap->rss_wait = *sample;
	heap_saw(heap, sample->stamp);
	if (sample->stamp <= heap->sync_stamp)
		rss_settle(heap, UINT64_MAX);
}
