/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing the live heap. */
#include "model/snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vector.h"
#include "model/marks.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"

#define NS_PER_S	1e9

VECTOR_STRUCT(sites, struct heap_site);

static void put(struct buffer *out, const char *text)
{
	text_sanitise(out, text, strlen(text));
}

static void put_fact(const struct heap *heap, const char *key, const char *label, struct buffer *out)
{
	const char *value = heap_fact(heap, key);

	if (!value)
		return;
	buffer_append_string(out, label);
	put(out, value);
	buffer_append_char(out, '\n');
}

static void put_total(struct heap *heap, enum heap_class class, const char *what, struct snapshot_sums *sums,
		      struct buffer *out)
{
	struct heap_totals t;
	char size[UNITS_TEXT_MAX];

	heap_totals(heap, class, &t);
	sums->blocks += t.live;
	sums->bytes += t.live_bytes;
	buffer_printf(out, "live %s: %s%" PRIu64 ", %" PRIu64 " bytes (%s)\n", what, t.margin.live ? "~" : "", t.live,
		      t.live_bytes, format_bytes(size, sizeof(size), t.live_bytes));
}

static void put_doubts(struct heap *heap, struct buffer *out)
{
	struct heap_status status;
	uint64_t calls, bytes;

	heap_status(heap, &status);
	heap_unrecorded(heap, &calls, &bytes);
	if (status.attached)
		buffer_append_string(out, "blocks from before memtrack was attached are not known\n");
	if (calls)
		buffer_printf(out, "left out: what of %" PRIu64 " allocations made in pauses (%" PRIu64 " bytes) lives\n",
			      calls, bytes);
	if (status.sample)
		buffer_append_string(out, "a sample: figures are estimates\n");
	if (status.lost)
		buffer_printf(out, "%" PRIu64 " events were lost\n", status.lost);
}

static void put_head(struct heap *heap, uint64_t ns, struct snapshot_sums *sums, struct buffer *out)
{
	put_fact(heap, "command", "command: ", out);
	put_fact(heap, "pid", "pid: ", out);
	buffer_printf(out, "time: %.6f s after the start%s\n", (double)ns / NS_PER_S,
		      heap_paused(heap) ? ", recording paused" : "");
	put_total(heap, HEAP_BLOCKS, "blocks", sums, out);
	put_total(heap, HEAP_PAGES, "mappings", sums, out);
	put_doubts(heap, out);
}

static void put_thread(const struct heap *heap, const struct heap_site *site, struct buffer *out)
{
	struct heap_thread thread;

	if (site->thread == HEAP_NONE)
		return;
	thread_get(heap, site->thread, &thread);
	buffer_append_string(out, "  thread ");
	put(out, *thread.name ? thread.name : "?");
	buffer_printf(out, " (%u)%s", thread.tid, site->many_threads ? " and others" : "");
}

static void put_stack(const struct heap *heap, uint32_t stack, struct stack_frame *frames, struct buffer *out)
{
	size_t count = stack_frames(heap, stack, frames, STACK_FRAMES_MAX);
	const char *cut = stack_cut_reason(heap, stack);

	for (size_t i = 0; i < count && i < STACK_FRAMES_MAX; i++) {
		buffer_printf(out, "    #%-2zu ", i);
		stack_frame_print(&frames[i], true, out);
		buffer_append_string(out, frames[i].inlined ? " [inlined]\n" : "\n");
	}
	if (count && cut)
		buffer_printf(out, "    (%s)\n", cut);
}

static int by_bytes(const void *left, const void *right)
{
	const struct heap_site *a = left, *b = right;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes < b->live_bytes ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void find_sites(struct heap *heap, struct sites *sites)
{
	size_t count = site_count(heap);
	struct heap_site site;

	for (size_t i = 0; i < count; i++) {
		site_get(heap, (uint32_t)i, &site);
		if (site.live)
			vector_push(sites, site);
	}
	if (sites->count)
		qsort(sites->items, sites->count, sizeof(*sites->items), by_bytes);
}

void snapshot_text(struct heap *heap, uint64_t ns, struct snapshot_sums *sums, struct buffer *out)
{
	struct stack_frame *frames = xcalloc(STACK_FRAMES_MAX, sizeof(*frames));
	struct sites sites = { 0 };

	put_head(heap, ns, sums, out);
	find_sites(heap, &sites);
	for (size_t i = 0; i < sites.count; i++) {
		const struct heap_site *site = &sites.items[i];

		buffer_printf(out, "\n%" PRIu64 " bytes in %" PRIu64 " by ", site->live_bytes, site->live);
		buffer_append_string(out, heap_op_label(site->op));
		put_thread(heap, site, out);
		buffer_append_char(out, '\n');
		put_stack(heap, site->stack, frames, out);
	}
	vector_release(&sites);
	free(frames);
}
