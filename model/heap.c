/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A heap's life, and what is known about the run as a whole. */
#include "model/heap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"
#include "store/reader.h"

#define NOTE_BYTES_MAX	1000u
#define WALK_SLOTS	16384u	/* of live blocks, between two questions whether to stop */

struct heap *heap_new_sharing(const struct heap_options *options, struct spill *spill)
{
	struct heap *heap = xcalloc(1, sizeof(*heap));

	if (options)
		heap->options = *options;
	heap->spill = spill ? spill : spill_new(heap->options.memory, heap->options.folder);
	heap->spill_borrowed = spill != NULL;
	heap->clock = (struct trace_clock){ 0, 1ull << 32 };
	heap->first_stamp = UINT64_MAX;
	heap->rss_stride = 1;
	footprint_init(&heap->footprint);
	map_init(&heap->thread_by_serial);
	map_init(&heap->relative_by_number);
	map_init(&heap->demangled);
	map_init(&heap->binaries);
	modules_init(&heap->modules);
	stack_table_init(&heap->stacks);
	live_init(&heap->live);
	ranges_init(&heap->ranges);
	repair_init(&heap->repair);
	found_init(&heap->found);
	repair_windows(heap);
	buckets_init(&heap->buckets);
	return heap;
}

struct heap *heap_new(const struct heap_options *options)
{
	return heap_new_sharing(options, NULL);
}

void heap_free(struct heap *heap)
{
	if (!heap)
		return;
	sessions_free(heap);
	order_release(heap);
	store_reader_free(heap->reader);
	textlog_free(heap->text);
	buffer_release(&heap->head);
	map_release(&heap->thread_by_serial);
	map_release(&heap->demangled);
	wrappers_release(&heap->wrappers);
	locate_release(heap);
	vector_release(&heap->threads);
	modules_release(&heap->modules);
	stack_table_release(&heap->stacks);
	live_release(&heap->live);
	ranges_release(&heap->ranges);
	repair_release(&heap->repair);
	found_release(&heap->found);
	sampling_release(&heap->sampling);
	exact_release(&heap->exact);
	buckets_release(&heap->buckets);
	records_release(heap);
	vector_release(&heap->decoded);
	vector_release(&heap->sites);
	vector_release(&heap->site_of[0]);
	vector_release(&heap->site_of[1]);
	marks_heap_release(heap);
	rss_release(heap);
	footprint_release(&heap->footprint);
	vector_release(&heap->facts);
	vector_release(&heap->notes);
	vector_release(&heap->children);
	vector_release(&heap->relatives);
	map_release(&heap->relative_by_number);
	if (!heap->spill_borrowed)
		spill_free(heap->spill);
	free(heap);
}

void heap_saw(struct heap *heap, uint64_t stamp)
{
	if (stamp > heap->now)
		heap->now = stamp;
}

void heap_note(struct heap *heap, const char *format, ...)
{
	char text[NOTE_BYTES_MAX];
	va_list args;
	uint32_t id;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	id = intern_put_string(heap->modules.strings, text);
	for (size_t i = 0; i < heap->notes.count; i++)
		if (heap->notes.items[i] == id)
			return;
	if (heap->notes.count < NOTES_MAX)
		vector_push(&heap->notes, id);
}

void heap_damage(struct heap *heap, const char *what)
{
	heap->status.damaged = true;
	heap->filtered = true;
	heap_note(heap, "the trace is damaged: %s", what);
}

/* The next chunk whose process is known; false: there is none. */
static bool next_chunk(struct heap *heap)
{
	struct chunk_summary summary;
	const uint8_t *records;
	size_t count;
	int got;

	while (!heap->chunk.of && (got = store_next(heap->reader, &records, &count, &summary)) != 0) {
		if (got < 0) {
			heap_damage(heap, "a chunk does not match its checksum");
			continue;
		}
		heap->chunk.of = session_of(heap, summary.session, count ? records[0] : TRACE_RELATIVE);
		heap->chunk.in = (struct trace_in){ records, count, 0 };
	}
	return heap->chunk.of != NULL;
}

bool heap_go_on(struct heap *heap)
{
	if (!heap->reader)
		return true;
	while (next_chunk(heap)) {
		if (!mtk_records(heap->chunk.of, &heap->chunk.in)) {
			heap->generation++;
			return false;
		}
		heap->chunk.of = NULL;
	}
	return true;
}

static int feed_mtk(struct heap *heap, const void *bytes, size_t length)
{
	int got;

	while (!heap_go_on(heap))
		;
	got = store_feed(heap->reader, bytes, length);
	heap->fed_bytes += length;
	if (got) {
		heap_damage(heap, "its head is not that of a .mtk file of this version");
		heap->status.other_version = got == -ENOTSUP && !heap->session_known;
		return heap->session_known ? 0 : got;
	}
	heap_go_on(heap);
	return 0;
}

static int feed_text(struct heap *heap, const void *bytes, size_t length)
{
	while (!recount_finish(heap))
		;
	textlog_feed(heap, bytes, length);
	return textlog_hopeless(heap, bytes, length) ? -EBADMSG : 0;
}

/* The first bytes tell: a trace has a head that no text begins with. */
static int detect(struct heap *heap, const void *bytes, size_t length)
{
	static const uint8_t magic[] = { 0x89, 'M', 'T', 'R', 'K', '\r', '\n', 0x1a };
	size_t known;
	int err;

	buffer_append(&heap->head, bytes, length);
	known = heap->head.length < sizeof(magic) ? heap->head.length : sizeof(magic);
	if (memcmp(heap->head.data, magic, known)) {
		heap->format = HEAP_FORMAT_TEXT;
		heap->filtered = true;
		heap->clock = (struct trace_clock){ 0, 1000ull << 32 };
		repair_windows(heap);
		err = feed_text(heap, heap->head.data, heap->head.length);
	} else if (known == sizeof(magic)) {
		heap->format = HEAP_FORMAT_MTK;
		heap->reader = store_reader_new();
		err = feed_mtk(heap, heap->head.data, heap->head.length);
	} else {
		return 0;
	}
	buffer_release(&heap->head);
	return err;
}

int heap_feed(struct heap *heap, const void *bytes, size_t length)
{
	if (!length)
		return 0;
	heap->generation++;
	if (heap->format == HEAP_FORMAT_MTK)
		return feed_mtk(heap, bytes, length);
	if (heap->format == HEAP_FORMAT_TEXT)
		return feed_text(heap, bytes, length);
	return detect(heap, bytes, length);
}

bool heap_settle(struct heap *heap)
{
	if (heap->format == HEAP_FORMAT_TEXT) {
		if (!recount_finish(heap))
			return false;
		textlog_settle(heap);
		heap->generation++;
	}
	return heap->format != HEAP_FORMAT_MTK || (heap_go_on(heap) && sessions_settle(heap));
}

bool heap_end(struct heap *heap)
{
	if (heap->status.data_ended)
		return true;
	if (heap->format == HEAP_FORMAT_MTK && !(heap_go_on(heap) && sessions_end(heap)))
		return false;
	if (heap->format == HEAP_FORMAT_UNKNOWN && heap->head.length)
		heap_damage(heap, "it is too short to be told");
	if (heap->format == HEAP_FORMAT_TEXT && !recount_finish(heap))
		return false;
	if (heap->format == HEAP_FORMAT_TEXT)
		textlog_end(heap);
	if (heap->reader && store_leftover(heap->reader))
		heap_damage(heap, "it ends in the middle of a chunk");
	heap->status.data_ended = true;
	heap->generation++;
	return true;
}

bool heap_walk(struct heap *heap, size_t *at, void (*visit)(struct heap *heap, const struct live_block *block))
{
	while (!live_walked(&heap->live, *at)) {
		const struct live_block *block;
		size_t slots = WALK_SLOTS;

		while ((block = live_walk(&heap->live, at, &slots)) != NULL)
			visit(heap, block);
		if (heap_is_stopped(heap))
			return false;
	}
	*at = 0;
	return true;
}

uint64_t heap_generation(const struct heap *heap)
{
	return heap->generation;
}

void heap_status(const struct heap *heap, struct heap_status *out)
{
	*out = heap->status;
	out->format = heap->format;
	out->now_ns = heap_ns(heap, heap->now);
	out->first_ns = heap->first_stamp == UINT64_MAX ? 0 : heap_ns(heap, heap->first_stamp);
	out->sites = heap->sites.count;
	out->sample = (uint64_t)heap->sampling.period;
	out->attached = heap->attached;
	out->older_frees = heap->attached && !heap->left_out ? heap->status.unknown_frees - heap->wrong_frees : 0;
}

static void sum_leaks(struct heap *heap, enum heap_class which, struct heap_totals *out,
	struct noise *noise)
{
	for (uint32_t i = 0; i < heap->sites.count; i++) {
		struct heap_site site;

		if (heap->sites.items[i].class != which || !heap->sites.items[i].live)
			continue;
		site_get(heap, i, &site);
		*(site.runtime ? &out->runtime : &out->leaked) += site.leaked;
		*(site.runtime ? &out->runtime_bytes : &out->leaked_bytes) += site.leaked_bytes;
		if (heap->sampling.on && !site.runtime)
			noise_add(noise, site_leak_noise(heap, i), true);
	}
}

static void totals_margin(struct heap *heap, struct heap_totals *out, const struct noise *leaked)
{
	struct noise_books books = heap->sampling.total;

	books.leaked = *leaked;
	noise_margin(&books, true, &out->margin);
}

static void outer_totals(struct heap *heap, enum heap_class which, struct heap_totals *out)
{
	const struct class_totals *t = &heap->totals[which];
	struct noise leaked = { 0, 0 };

	*out = (struct heap_totals){
		.allocs = heap_count(heap, t->allocs), .alloc_bytes = heap_bytes(heap, t->alloc_bytes),
		.frees = heap_count(heap, t->frees), .freed_bytes = heap_bytes(heap, t->freed_bytes),
		.live = heap_count(heap, t->live), .live_bytes = heap_bytes(heap, t->live_bytes),
		.gone = heap_count(heap, t->gone), .gone_bytes = heap_bytes(heap, t->gone_bytes),
		.temporary = t->temporary,
		.peak = heap_count(heap, t->peak), .peak_bytes = heap_bytes(heap, t->peak_bytes),
		.peak_ns = t->peak_bytes ? heap_ns(heap, t->peak_stamp) : 0,
	};
	sum_leaks(heap, which, out, &leaked);
	if (heap->sampling.on && which == HEAP_BLOCKS)
		totals_margin(heap, out, &leaked);
}

/* Plain numbers in every trace. */
static void inner_totals(const struct class_totals *t, struct heap_totals *out)
{
	*out = (struct heap_totals){
		.allocs = t->allocs, .alloc_bytes = t->alloc_bytes,
		.frees = t->frees, .freed_bytes = t->freed_bytes,
		.live = t->live, .live_bytes = t->live_bytes,
		.peak = t->peak, .peak_bytes = t->peak_bytes,
	};
}

void heap_totals(struct heap *heap, enum heap_class which, struct heap_totals *out)
{
	if (which == HEAP_INNER)
		inner_totals(&heap->totals[which], out);
	else
		outer_totals(heap, which, out);
}

bool heap_has_pages(const struct heap *heap)
{
	return heap->totals[HEAP_PAGES].allocs != 0;
}
