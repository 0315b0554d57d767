/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Publishing readable ranges. */
#include "launcher/ranges.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "symbols/maps.h"

#define PAUSE_LEAST	20000000ull	/* ns */
#define PAUSE_MOST	1000000000ull

struct span {
	uint64_t start, end;
};

/* Stacks are private and writable; a shared or file mapping could be cut short under a reader. */
static bool may_be_stack(const struct map_entry *m)
{
	return m->read && m->write && !m->shared;
}

/* All candidates, neighbours joined.  For the caller to free. */
static struct span *collect(const struct maps *maps, size_t *count)
{
	struct span *spans = xcalloc(maps->count + 1, sizeof(*spans));
	size_t n = 0;

	for (size_t i = 0; i < maps->count; i++) {
		const struct map_entry *m = &maps->items[i];

		if (!may_be_stack(m))
			continue;
		if (n && spans[n - 1].end == m->start)
			spans[n - 1].end = m->end;
		else
			spans[n++] = (struct span){ m->start, m->end };
	}
	*count = n;
	return spans;
}

static int larger_first(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	uint64_t xl = x->end - x->start, yl = y->end - y->start;

	return xl < yl ? 1 : xl > yl ? -1 : 0;
}

static int lower_first(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Odd from before the map is read until the new ranges stand there: a munmap that comes in
 * between is then one whose memory may be in them, and the hook trusts none of them. */
static uint32_t publish_begin(struct channel_region *region)
{
	uint32_t seq = atomic_load(&region->ranges_seq) | 1;

	atomic_store(&region->ranges_seq, seq);
	return seq;
}

static void publish(struct channel_region *region, const struct span *spans, size_t count, uint32_t seq)
{
	for (size_t i = 0; i < count; i++) {
		atomic_store_explicit(&region->ranges[i].start, spans[i].start, memory_order_relaxed);
		atomic_store_explicit(&region->ranges[i].end, spans[i].end, memory_order_relaxed);
	}
	atomic_store(&region->ranges_count, (uint32_t)count);
	atomic_store(&region->ranges_seq, seq + 1);
}

void ranges_update(struct ranges *r, struct channel_region *region, pid_t pid, uint64_t now_ns)
{
	uint32_t wanted = atomic_load(&region->ranges_wanted);
	struct maps maps;
	struct span *spans;
	uint64_t digest;
	uint32_t seq;
	size_t count;

	if (wanted == r->answered || now_ns < r->again_ns)
		return;
	seq = publish_begin(region);
	if (maps_read(pid, &maps)) {
		publish(region, NULL, 0, seq);
		return;
	}
	spans = collect(&maps, &count);
	maps_release(&maps);
	if (count > CHANNEL_RANGES_MAX) {
		qsort(spans, count, sizeof(*spans), larger_first);
		count = CHANNEL_RANGES_MAX;
		qsort(spans, count, sizeof(*spans), lower_first);
	}
	digest = hash_bytes(spans, count * sizeof(*spans));
	if (digest != r->digest || !r->answered)
		r->pause_ns = PAUSE_LEAST;
	else if (r->pause_ns < PAUSE_MOST)
		r->pause_ns *= 2;
	publish(region, spans, count, seq);
	free(spans);
	r->digest = digest;
	r->answered = wanted;
	r->again_ns = now_ns + r->pause_ns;
}
