/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate for CI. */
#include "model/check.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/units.h"
#include "base/vector.h"
#include "model/findings.h"
#include "model/stacks.h"
#include "model/state.h"

#define CLEAN	0
#define FOUND	1
#define UNSURE	2

#define SHOWN_MAX	(UNITS_TEXT_MAX + 1)

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
	struct noise noise;
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
			noise_add(&out->noise, site_leak_noise(heap, i), true);
		}
	}
}

/* A figure with its margin against the most it may be. */
static int verdict(uint64_t value, uint64_t margin, uint64_t most)
{
	if (most == CHECK_NO_LIMIT || (value <= most && most - value >= margin))
		return CLEAN;
	return value > most && value - most > margin ? FOUND : UNSURE;
}

static const char *shown(char *out, uint64_t value, uint64_t margin)
{
	char text[UNITS_TEXT_MAX];

	snprintf(out, SHOWN_MAX, "%s%s", margin ? "~" : "", format_count(text, sizeof(text), value));
	return out;
}

static int limit(uint64_t value, uint64_t margin, uint64_t most, const char *what, struct buffer *out)
{
	int found = verdict(value, margin, most);
	char got[SHOWN_MAX], may[UNITS_TEXT_MAX], off[UNITS_TEXT_MAX];

	if (found == CLEAN)
		return CLEAN;
	buffer_printf(out, "%s: %s, %s than %s", what, shown(got, value, margin),
		      found == FOUND ? "more" : "perhaps more", format_count(may, sizeof(may), most));
	if (margin)
		buffer_printf(out, " (a sample: +-%s)", format_count(off, sizeof(off), margin));
	buffer_append_char(out, '\n');
	return found;
}

static int leaks_limit(const struct leaks *leaks, uint64_t most, struct buffer *out)
{
	uint64_t margin = noise_bytes_margin(leaks->noise.bytes);
	char bytes[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX], off[UNITS_TEXT_MAX];
	int found;

	if (leaks->suppressed)
		buffer_printf(out, "suppressed: %s in %s blocks\n",
			      format_bytes(bytes, sizeof(bytes), leaks->suppressed_bytes),
			      format_count(count, sizeof(count), leaks->suppressed));
	found = !leaks->count ? CLEAN : !most ? FOUND : verdict(leaks->bytes, margin, most);
	if (found == CLEAN)
		return CLEAN;
	buffer_printf(out, "%sleaked: %s%s in %s blocks", found == UNSURE ? "perhaps more than allowed " : "",
		      margin ? "~" : "", format_bytes(bytes, sizeof(bytes), leaks->bytes),
		      format_count(count, sizeof(count), leaks->count));
	if (margin)
		buffer_printf(out, " (a sample: +-%s)", format_bytes(off, sizeof(off), margin));
	buffer_append_char(out, '\n');
	return found;
}

static int findings_limit(struct heap *heap, bool wanted, struct buffer *out)
{
	struct finding_sums sums;
	char text[UNITS_TEXT_MAX];

	finding_sums(heap, &sums);
	if (!wanted || sums.all == sums.inferred)
		return CLEAN;
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		if (sums.kinds[kind])
			buffer_printf(out, "%s: %s\n", finding_kind_label((enum finding_kind)kind),
				      format_count(text, sizeof(text), sums.kinds[kind]));
	return FOUND;
}

/* Found outweighs unsure, and that clean. */
static int worse(int a, int b)
{
	return a == FOUND || b == FOUND ? FOUND : a > b ? a : b;
}

int check_heap(struct heap *heap, const struct check_options *options, struct buffer *out)
{
	struct patterns patterns = { 0 };
	struct leaks leaks = { 0 };
	struct heap_status status;
	struct heap_totals totals;
	struct heap_exact counts;
	bool exact;
	int found;

	heap_status(heap, &status);
	heap_totals(heap, HEAP_BLOCKS, &totals);
	patterns_read(options->suppressions, &patterns);
	leaks_sum(heap, &patterns, &leaks);
	for (size_t i = 0; i < patterns.count; i++)
		free(patterns.items[i]);
	vector_release(&patterns);
	found = leaks_limit(&leaks, options->max_leaked, out);
	found = worse(found, limit(totals.peak_bytes, totals.margin.peak_bytes, options->max_peak, "peak bytes", out));
	exact = status.sample && heap_exact(heap, HEAP_NONE, &counts);
	found = worse(found, limit(exact ? counts.allocs : totals.allocs, exact ? 0 : totals.margin.allocs,
				   options->max_count, "allocations", out));
	found = worse(found, findings_limit(heap, options->findings, out));
	if (found != FOUND && (status.damaged || status.inexact || !status.leaks_final)) {
		buffer_append_string(out, "cannot tell: the trace is damaged, incomplete or has no end\n");
		return UNSURE;
	}
	return found;
}
