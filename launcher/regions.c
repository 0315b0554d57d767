/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of processes that are gone: made zero and put on the free list.
 *
 * Most fork children of a shell write a few pages in each part of their region.  Those pages are
 * cleared and kept, which spares the next child 16 us for each; all others are given back to the
 * system.  So what a family holds stays bounded however many children it has. */
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/drain.h"

#define KEPT_MAX	(64u << 10)	/* of one part; whoever used more of it was no short-lived child */
#define PUSH_TRIES	1000		/* a target that writes the list's head all the time gets none back */

/* Clears the part from `at`, of which `used` bytes were probably written; returns its end. */
static char *part_clear(char *at, uint64_t used, char *end)
{
	uint64_t kept = channel_page_up(used);

	if (kept > KEPT_MAX || kept > (uint64_t)(end - at))
		kept = 0;
	memset(at, 0, kept);
	if (at + kept < end && madvise(at + kept, (size_t)(end - at - kept), MADV_REMOVE) < 0)
		memset(at + kept, 0, (size_t)(end - at - kept));
	return end;
}

static uint64_t count_of(const _Atomic uint32_t *word, uint64_t size)
{
	return atomic_load_explicit(word, memory_order_relaxed) * size;
}

/* What the numbers say decides only which pages are kept. */
static void region_clear(const struct session_channel *c, char *base)
{
	const struct channel_region *r = (const struct channel_region *)base;
	struct channel_layout l = channel_layout(c->threads_max, c->nodes_max, c->chunks_max,
						 c->settings.sample != 0);
	uint64_t nodes = count_of(&r->node_fresh, sizeof(struct depot_node));
	uint64_t threads = count_of(&r->thread_fresh, sizeof(struct channel_thread));
	uint64_t modules = count_of(&r->module_count, sizeof(struct channel_module));
	uint64_t pages = count_of(&r->index_pages, CHANNEL_PAGE) + CHANNEL_PAGE;
	uint64_t chunks = atomic_load_explicit(&r->chunk_fresh, memory_order_relaxed);

	part_clear(base, 1, base + l.threads);
	part_clear(base + l.threads, threads, base + l.modules);
	part_clear(base + l.modules, modules, base + l.index);
	part_clear(base + l.index, 1, base + l.index + channel_index_pages_offset());
	part_clear(base + l.index + channel_index_pages_offset(), pages, base + l.nodes);
	part_clear(base + l.nodes, nodes, base + l.chunk_headers);
	part_clear(base + l.chunk_headers, chunks * sizeof(struct channel_chunk), base + l.chunks);
	part_clear(base + l.chunks, chunks * CHANNEL_CHUNK_BYTES, base + l.bytes);
}

static bool push(struct channel_header *h, struct channel_region *r, uint32_t index)
{
	uint64_t head = atomic_load_explicit(&h->region_free, memory_order_relaxed);

	for (int i = 0; i < PUSH_TRIES; i++) {
		uint64_t mine = ((head >> 32) + 1) << 32 | (index + 1);

		atomic_store_explicit(&r->free_next, (uint32_t)head, memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(&h->region_free, &head, mine,
							  memory_order_release, memory_order_relaxed))
			return true;
	}
	return false;
}

/* Region 0 stays: an image begins there. */
void regions_give_back(struct drain_channel *c, unsigned index)
{
	struct channel_header *h = c->channel.header;
	char *base = (char *)h + c->channel.region_offset + index * c->channel.region_bytes;

	if (!index)
		return;
	region_clear(&c->channel, base);
	c->known[index] = false;
	if (c->channel.returned)
		c->channel.returned(c->channel.owner, index);
	if (!push(h, (struct channel_region *)base, index))
		return;
	atomic_fetch_add(&h->region_seq, 1);
	if (atomic_load(&h->region_waiters))
		syscall(SYS_futex, &h->region_seq, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
