/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate for CI. */
#include "model/check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/units.h"
#include "base/vector.h"
#include "model/report_sites.h"
#include "model/stacks.h"

#define CLEAN	0
#define FOUND	1
#define UNSURE	2

VECTOR_STRUCT(patterns, char *);

/* "leak:GLOB" or "GLOB" lines; # begins a comment. */
static void patterns_read(const char *text, struct patterns *out)
{
	while (text && *text) {
		size_t length = strcspn(text, "\n");
		size_t use = strcspn(text, "#\n");
		const char *start = text;

		while (use && strchr(" \t\r", *start))
			start++, use--;
		while (use && strchr(" \t\r", start[use - 1]))
			use--;
		if (use > 5 && !strncmp(start, "leak:", 5))
			start += 5, use -= 5;
		if (use)
			vector_push(out, xstrndup(start, use));
		text += length + (text[length] == '\n');
	}
}

static bool glob(const struct patterns *patterns, const char *text)
{
	for (size_t i = 0; text && i < patterns->count; i++)
		if (!fnmatch(patterns->items[i], text, 0) || strstr(text, patterns->items[i]))
			return true;
	return false;
}

static bool suppressed(const struct heap *heap, const struct patterns *patterns, uint32_t stack)
{
	struct stack_frame *frames;
	size_t count;
	bool hit = false;

	if (!patterns->count)
		return false;
	frames = xreallocarray(NULL, STACK_FRAMES_MAX, sizeof(*frames));
	count = stack_frames(heap, stack, frames, STACK_FRAMES_MAX);
	for (size_t i = 0; i < count && i < STACK_FRAMES_MAX && !hit; i++)
		hit = glob(patterns, frames[i].function) || glob(patterns, frames[i].module) ||
		      glob(patterns, frames[i].file);
	free(frames);
	return hit;
}

struct leaks {
	uint64_t bytes, count, suppressed, suppressed_bytes;
};

static void leaks_sum(struct heap *heap, const struct patterns *patterns, struct leaks *out)
{
	for (uint32_t i = 0; i < site_count(heap); i++) {
		struct heap_site site;

		site_get(heap, i, &site);
		if (site.runtime || !site.leaked || site.class != HEAP_BLOCKS)
			continue;
		if (suppressed(heap, patterns, site.stack)) {
			out->suppressed += site.leaked;
			out->suppressed_bytes += site.leaked_bytes;
		} else {
			out->count += site.leaked;
			out->bytes += site.leaked_bytes;
		}
	}
}

static bool limit(uint64_t value, uint64_t most, const char *what, struct buffer *out)
{
	char got[UNITS_TEXT_MAX], may[UNITS_TEXT_MAX];

	if (value <= most)
		return false;
	buffer_printf(out, "%s: %s, more than %s\n", what, format_count(got, sizeof(got), value),
		      format_count(may, sizeof(may), most));
	return true;
}

static bool leaks_limit(const struct leaks *leaks, uint64_t most, struct buffer *out)
{
	char bytes[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];

	if (leaks->suppressed)
		buffer_printf(out, "suppressed: %s in %s blocks\n",
			      format_bytes(bytes, sizeof(bytes), leaks->suppressed_bytes),
			      format_count(count, sizeof(count), leaks->suppressed));
	if (!leaks->count || (most && leaks->bytes <= most))
		return false;
	buffer_printf(out, "leaked: %s in %s blocks\n", format_bytes(bytes, sizeof(bytes), leaks->bytes),
		      format_count(count, sizeof(count), leaks->count));
	return true;
}

int check_heap(struct heap *heap, const struct check_options *options, struct buffer *out)
{
	struct patterns patterns = { 0 };
	struct leaks leaks = { 0 };
	struct heap_status status;
	struct heap_totals totals;
	bool found;

	heap_status(heap, &status);
	heap_totals(heap, HEAP_BLOCKS, &totals);
	patterns_read(options->suppressions, &patterns);
	leaks_sum(heap, &patterns, &leaks);
	for (size_t i = 0; i < patterns.count; i++)
		free(patterns.items[i]);
	vector_release(&patterns);
	found = leaks_limit(&leaks, options->max_leaked, out);
	found |= limit(totals.peak_bytes, options->max_peak, "peak bytes", out);
	found |= limit(totals.allocs, options->max_count, "allocations", out);
	if (found)
		return FOUND;
	if (status.damaged || status.inexact || !status.leaks_final) {
		buffer_append_string(out, "cannot tell: the trace is damaged, incomplete or has no end\n");
		return UNSURE;
	}
	return CLEAN;
}
