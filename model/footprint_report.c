/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allocator's footprint in words, and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "model/footprint.h"
#include "model/report_parts.h"
#include "model/state.h"

#define ROWS	10u

static void put_percent(const struct footprint *f, struct buffer *out)
{
	unsigned mille = footprint_fragmentation(f);

	if (f->laid)
		buffer_printf(out, " %10s %8u.%u %%\n", report_bytes(f->empty), mille / 10, mille % 10);
	else
		buffer_printf(out, " %10s %12s\n", "-", "-");
}

static void put_row(const struct footprint *f, bool pages, const char *remark, struct buffer *out)
{
	buffer_printf(out, "  %10s %10s %10s %10s", remark ? remark : report_duration(f->ns), report_bytes(f->asked),
		      report_bytes(f->taken), report_bytes(f->resident));
	if (pages)
		put_percent(f, out);
	else
		buffer_append_char(out, '\n');
}

static void put_table(const struct heap *heap, bool pages, struct buffer *out)
{
	size_t rows[ROWS], count = footprint_rows(heap, rows, ROWS);
	struct footprint f;

	buffer_printf(out, "  %10s %10s %10s %10s", "time", "asked for", "taken", pages ? "resident" : "RSS");
	buffer_printf(out, pages ? " %10s %12s\n" : "\n", "empty", "fragmented");
	for (size_t i = 0; i < count; i++) {
		footprint_at(heap, rows[i], &f);
		put_row(&f, pages, NULL, out);
	}
	if (count > 1 && footprint_peak(heap, &f))
		put_row(&f, pages, "peak", out);
}

/* Seen from outside, before a block was made; what it passes on shows in the events. */
char *footprint_allocator(const struct heap *heap)
{
	const char *name = heap_fact(heap, "allocator"), *where = heap_fact(heap, "allocator-in");
	bool empty = !heap->totals[HEAP_BLOCKS].allocs;

	if (!name || !where)
		return NULL;
	if (!strcmp(where, "program"))
		return xasprintf("The program uses its own allocator (malloc resolves to %s): %s.", name,
				 empty ? "only its brk and mmap calls are visible, not its heap" :
				 "only its brk and mmap calls are visible, and blocks that it takes from others");
	if (!strcmp(where, "inside"))
		return xasprintf("The program has an allocator inside (%s, which nobody else calls): its blocks are "
				 "not visible, only its brk and mmap calls and the blocks of others.", name);
	if (!strcmp(where, "go"))
		return xstrdup("A Go program: its own heap is not visible, only what C libraries allocate, and mmap.");
	return NULL;
}

bool footprint_hides(const struct heap *heap)
{
	char *text = footprint_allocator(heap);
	bool hides = text != NULL;

	free(text);
	return hides;
}

static void put_library(const struct heap *heap, struct buffer *out)
{
	const char *name = heap_fact(heap, "allocator"), *where = heap_fact(heap, "allocator-in");

	if (!name || !where || strcmp(where, "library"))
		return;
	buffer_append_string(out, "  malloc is that of ");
	text_sanitise(out, name, strlen(name));
	buffer_append_string(out, ".\n");
}

/* Exact, but only of calls that the hook sees: libc's own allocator makes none such. */
static void put_calls(const struct heap_totals *inner, struct buffer *out)
{
	if (!inner->allocs)
		return;
	buffer_printf(out, "  The allocator asked the system %s time%s for memory (brk, mmap): %s in all,\n"
		      "  %s at the most, %s given back.\n", report_number(inner->allocs),
		      inner->allocs == 1 ? "" : "s", report_bytes(inner->alloc_bytes), report_bytes(inner->peak_bytes),
		      report_bytes(inner->freed_bytes));
}

static const char *const legend =
	"  asked for: live bytes of blocks; taken: the allocator's writable mappings; empty: resident\n"
	"  pages without a live block; fragmented: share of the resident bytes that is no block's.\n";

static void put_legend(const struct heap *heap, enum footprint_source source, struct buffer *out)
{
	const char *why = heap_fact(heap, "residency");

	if (source == FOOTPRINT_PAGES)
		buffer_append_string(out, legend);
	else
		buffer_append_string(out, "  taken: by the allocator's own brk and mmap calls, as far as they are seen.\n");
	if (!why)
		return;
	buffer_append_string(out, source == FOOTPRINT_PAGES ? "  Not to the end: " : "  No fragmentation: ");
	text_sanitise(out, why, strlen(why));
	buffer_append_string(out, ".\n");
}

void footprint_report(const struct heap *heap, struct buffer *out)
{
	enum footprint_source source = footprint_source(heap);
	struct heap_totals inner;

	heap_totals((struct heap *)heap, HEAP_INNER, &inner);
	if (source == FOOTPRINT_NONE && !inner.allocs)
		return;
	buffer_append_string(out, "\nFootprint of the allocator\n");
	put_library(heap, out);
	put_calls(&inner, out);
	if (source == FOOTPRINT_NONE)
		return;
	put_table(heap, source == FOOTPRINT_PAGES, out);
	put_legend(heap, source, out);
}

static void put_sample_json(const struct footprint *f, bool pages, struct buffer *out)
{
	buffer_printf(out, "{\"ns\":%" PRIu64 ",\"asked\":%" PRIu64 ",\"taken\":%" PRIu64 ",\"%s\":%" PRIu64,
		      f->ns, f->asked, f->taken, pages ? "resident" : "rss", f->resident);
	if (f->laid)
		buffer_printf(out, ",\"used\":%" PRIu64 ",\"empty\":%" PRIu64 ",\"fragmentation\":%.3f",
			      f->used, f->empty, footprint_fragmentation(f) / 1000.0);
	buffer_append_char(out, '}');
}

void footprint_json(const struct heap *heap, struct buffer *out)
{
	static const char *const names[] = { "none", "rss", "pages" };
	enum footprint_source source = footprint_source(heap);
	struct heap_totals inner;
	struct footprint f;

	heap_totals((struct heap *)heap, HEAP_INNER, &inner);
	buffer_printf(out, "{\"source\":\"%s\",\"calls\":%" PRIu64 ",\"mapped\":%" PRIu64
		      ",\"unmapped\":%" PRIu64 ",\"mapped_peak\":%" PRIu64, names[source], inner.allocs,
		      inner.alloc_bytes, inner.freed_bytes, inner.peak_bytes);
	if (source != FOOTPRINT_NONE && footprint_peak(heap, &f)) {
		buffer_append_string(out, ",\"peak\":");
		put_sample_json(&f, source == FOOTPRINT_PAGES, out);
	}
	buffer_append_string(out, ",\"samples\":[");
	for (size_t i = 0; source != FOOTPRINT_NONE && i < footprint_count(heap); i++) {
		footprint_at(heap, i, &f);
		if (i)
			buffer_append_char(out, ',');
		put_sample_json(&f, source == FOOTPRINT_PAGES, out);
	}
	buffer_append_string(out, "]}");
}
