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

static bool take_sample(struct heap *heap, const struct sample_wait *w)
{
	if (w->resident.packed.data)
		return footprint_take(heap, &w->resident);
	take(heap, &w->rss);
	return true;
}

/* Events up to stamp have come: pass them on, and take each sample when the order reaches it. */
bool rss_settle(struct heap *heap, uint64_t stamp)
{
	size_t done = 0;
	bool all = true;

	for (; all && done < heap->rss_wait.count && heap->rss_wait.items[done].stamp <= stamp; done += all) {
		struct sample_wait *w = &heap->rss_wait.items[done];

		all = order_until(heap, w->stamp) && take_sample(heap, w);
		if (all)
			free((void *)w->resident.packed.data);
	}
	if (done) {
		heap->rss_wait.count -= done;
		memmove(heap->rss_wait.items, heap->rss_wait.items + done,
			heap->rss_wait.count * sizeof(*heap->rss_wait.items));
	}
	return all && order_until(heap, stamp);
}

static void wait(struct heap *heap, const struct sample_wait *w)
{
	size_t at = heap->rss_wait.count;

	vector_push(&heap->rss_wait, *w);
	for (; at && heap->rss_wait.items[at - 1].stamp > w->stamp; at--)
		heap->rss_wait.items[at] = heap->rss_wait.items[at - 1];
	heap->rss_wait.items[at] = *w;
	if (w->resident.packed.data) {
		size_t length = w->resident.packed.length;

		heap->rss_wait.items[at].resident.packed.data =
			memcpy(xmalloc(length + 1), w->resident.packed.data, length);
	}
}

/* Too many are waiting: no order comes.  This cannot be left. */
static void make_room(struct heap *heap, uint64_t stamp)
{
	while (!rss_settle(heap, stamp < heap->rss_wait.items[0].stamp ? stamp : heap->rss_wait.items[0].stamp))
		;
}

/* It waits for the events before it. */
static bool add(struct heap *heap, const struct sample_wait *w)
{
	bool first = heap->rss_wait.count && w->stamp <= heap->rss_wait.items[0].stamp;

	heap_saw(heap, w->stamp);
	if (w->stamp <= heap->sync_stamp)
		return rss_settle(heap, w->stamp) && take_sample(heap, w);
	if (heap->rss_wait.count < RSS_WAITING_MAX) {
		wait(heap, w);
		return true;
	}
	make_room(heap, w->stamp);
	if (!first)
		wait(heap, w);
	while (first && !take_sample(heap, w))
		;
	return true;
}

bool rss_add(struct heap *heap, const struct trace_rss *sample)
{
	return add(heap, &(struct sample_wait){ .stamp = sample->stamp, .rss = *sample });
}

bool rss_add_resident(struct heap *heap, const struct trace_resident *resident)
{
	struct sample_wait w = { .stamp = resident->stamp, .resident = *resident };

	if (!w.resident.packed.data)
		w.resident.packed.data = "";
	return add(heap, &w);
}

void rss_release(struct heap *heap)
{
	for (size_t i = 0; i < heap->rss_wait.count; i++)
		free((void *)heap->rss_wait.items[i].resident.packed.data);
	vector_release(&heap->rss_wait);
	vector_release(&heap->rss);
}
