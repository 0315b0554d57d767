/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laying out private memory as trace/channel.h says. */
#include "hook/standalone_segment.h"

#include <stddef.h>
#include <sys/resource.h>

#include "hook/memory.h"
#include "hook/raw.h"
#include "hook/standalone_settings.h"
#include "trace/channel.h"

#define LINE_BYTES	100u	/* of an event without frames: what a buffer holds, in events */
#define SLACK_CHUNKS	64u	/* events that a thread may be ahead while another one writes */
#define PART_OF_LIMIT	8u	/* leave the program most of what it is allowed */

static const struct {
	uint32_t threads, nodes, chunks;
} sizes[] = {
	{ CHANNEL_THREADS_MAX, 1u << 20, 4096 },
	{ 1024, 1u << 17, 512 },
	{ 128, 1u << 14, 128 },
};

static uint64_t memory_limit(void)
{
	struct rlimit space = { RLIM_INFINITY, 0 }, data = { RLIM_INFINITY, 0 };

	raw_call(RAW_NR_prlimit64, 0, RLIMIT_AS, NULL, &space, 0);
	raw_call(RAW_NR_prlimit64, 0, RLIMIT_DATA, NULL, &data, 0);
	return space.rlim_cur < data.rlim_cur ? space.rlim_cur : data.rlim_cur;
}

static void fill_settings(struct channel_settings *to, const struct standalone_settings *from,
			  uint32_t chunks)
{
	uint64_t full = from->buffer_size / LINE_BYTES / CHANNEL_CHUNK_SLOTS + SLACK_CHUNKS;

	to->stack_depth = (uint32_t)from->stack_depth;
	to->free_stacks = from->stack_depth != 0;
	to->clock = CLOCK_MONOTONIC_NS;
	to->min_size = from->min_size;
	to->thread_chunks = full < chunks / 2 ? (uint32_t)full : chunks / 2;
	to->wake_chunks = UINT32_MAX;	/* nobody to wake */
	if (from->stack_threads)
		hook_copy_string(to->stack_threads, from->stack_threads, sizeof to->stack_threads);
	if (from->track_threads)
		hook_copy_string(to->track_threads, from->track_threads, sizeof to->track_threads);
}

struct channel_header *standalone_segment(const struct standalone_settings *settings)
{
	uint64_t limit = memory_limit();

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct channel_layout layout =
			channel_layout(sizes[i].threads, sizes[i].nodes, sizes[i].chunks, 0);
		uint64_t head = channel_page_up(sizeof(struct channel_header)), bytes = head + layout.bytes;
		struct channel_header *h;

		if (limit != RLIM_INFINITY && bytes > limit / PART_OF_LIMIT &&
		    i + 1 < sizeof sizes / sizeof sizes[0])
			continue;
		h = hook_reserve(bytes);
		if (!h)
			continue;
		h->segment_bytes = bytes;
		h->region_offset = head;
		h->region_bytes = layout.bytes;
		h->region_count = 1;
		h->nodes_max = sizes[i].nodes;
		h->chunks_max = sizes[i].chunks;
		h->threads_max = sizes[i].threads;
		fill_settings(&h->settings, settings, sizes[i].chunks);
		h->version = CHANNEL_VERSION;
		h->magic = CHANNEL_MAGIC;
		return h;
	}
	return NULL;
}
