/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folded call sites. */
#include "model/report_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/select_state.h"
#include "model/stacks.h"

#define NO_STACK	(1ull << 63)

enum { ASK, USER, PASSED };

struct folder {
	struct heap *heap;
	VECTOR(uint8_t) places;		/* is it the program's own code? */
	VECTOR(struct fold) folds;
	struct map by_key;
};

/* A place is passed over when all its frames would be. */
static bool is_user(struct folder *f, uint32_t place)
{
	uint8_t *answer = &f->places.items[place];

	if (*answer == ASK)
		*answer = stack_place_is_user(f->heap, place) ? USER : PASSED;
	return *answer == USER;
}

/* The first place of the program's own code, else the innermost one. */
static uint64_t fold_key(struct folder *f, const struct heap_site *site)
{
	const struct stack_table *t = &f->heap->stacks;

	if (site->stack == HEAP_NONE)
		return NO_STACK | (uint64_t)site->op << 8 | site->bucket;
	for (uint32_t node = site->stack; node >= STACK_FIRST; node = t->nodes.items[node].parent)
		if (is_user(f, t->nodes.items[node].frame))
			return t->nodes.items[node].frame;
	return t->nodes.items[site->stack].frame;
}

static void measure(const struct heap_site *site, enum site_cost cost, uint64_t *count, uint64_t *bytes)
{
	switch (cost) {
	case SITE_BY_LEAKED:
		*count = site->leaked;
		*bytes = site->leaked_bytes;
		break;
	case SITE_BY_PEAK:
		*count = site->peak;
		*bytes = site->peak_bytes;
		break;
	case SITE_BY_LIVE:
		*count = site->live;
		*bytes = site->live_bytes;
		break;
	case SITE_BY_TEMPORARY:
		*count = site->temporary;
		*bytes = 0;
		break;
	default:
		*count = site->allocs;
		*bytes = site->alloc_bytes;
		break;
	}
}

static void fold_add(struct folder *f, const struct heap_site *site, enum site_cost by)
{
	uint64_t cost = site_cost(site, by), count, bytes, *index;
	struct fold *fold;
	bool created;

	if (!cost)
		return;
	index = map_place(&f->by_key, fold_key(f, site), &created);
	if (created) {
		*index = f->folds.count;
		vector_push(&f->folds, (struct fold){ .site = site->index });
	}
	fold = &f->folds.items[*index];
	measure(site, by, &count, &bytes);
	fold->cost += cost;
	fold->count += count;
	fold->bytes += bytes;
	fold->allocs += site->allocs;
	fold->stacks++;
	fold->many_threads |= site->many_threads;
	if (cost > fold->site_cost) {
		fold->site_cost = cost;
		fold->site = site->index;
	}
}

static int compare(const void *a, const void *b)
{
	const struct fold *x = a, *y = b;

	return x->cost != y->cost ? (x->cost < y->cost ? 1 : -1) : (x->site > y->site) - (x->site < y->site);
}

size_t report_folds(struct heap *heap, enum site_cost cost, enum heap_class which,
	struct fold *out, size_t max, size_t *found)
{
	struct folder f = { .heap = heap };
	size_t count;

	vector_resize(&f.places, heap->stacks.places.count);
	map_init(&f.by_key);
	for (uint32_t i = 0; i < heap->sites.count; i++) {
		struct heap_site site;

		if (heap->sites.items[i].class != which)
			continue;
		site_get(heap, i, &site);
		if (!site.runtime)
			fold_add(&f, &site, cost);
	}
	if (f.folds.count)
		qsort(f.folds.items, f.folds.count, sizeof(*f.folds.items), compare);
	count = f.folds.count < max ? f.folds.count : max;
	if (count)
		memcpy(out, f.folds.items, count * sizeof(*out));
	if (found)
		*found = f.folds.count;
	vector_release(&f.places);
	vector_release(&f.folds);
	map_release(&f.by_key);
	return count;
}

void report_clip(const char *text, size_t columns, struct buffer *out)
{
	struct buffer clean = BUFFER_INIT;
	size_t width;

	text_sanitise(&clean, text, strlen(text));
	width = text_width(buffer_text(&clean), clean.length);
	if (width <= columns) {
		buffer_append(out, buffer_text(&clean), clean.length);
	} else {
		size_t fits = text_clip(clean.data, clean.length, columns > 3 ? columns - 3 : 0, NULL);

		buffer_append(out, clean.data, fits);
		buffer_append_string(out, "...");
	}
	buffer_release(&clean);
}

static void no_stack(const struct heap_site *site, unsigned indent, struct buffer *out)
{
	buffer_append_repeat(out, ' ', indent);
	buffer_printf(out, "%s of %s, no stack recorded\n", heap_op_label(site->op),
		      size_bucket_label(site->bucket < SIZE_BUCKETS ? site->bucket : 6));
}

/* How the program or thread was started says nothing: cut behind main, or behind the last frame
 * of the program's own code. */
static size_t trimmed(const struct stack_frame *frames, size_t first, size_t count)
{
	size_t end = first;

	while (end < count && !(frames[end].function && !strcmp(frames[end].function, "main")))
		end++;
	if (end < count)
		return end + 1;
	while (end > first + 1 && frames[end - 1].module && stack_in_runtime(frames[end - 1].module))
		end--;
	return end;
}

void report_stack(struct heap *heap, uint32_t index, unsigned frames, unsigned indent,
	unsigned width, struct buffer *out)
{
	struct stack_frame *all = xcalloc(STACK_FRAMES_MAX, sizeof(*all));
	struct buffer line = BUFFER_INIT;
	struct heap_site site;
	size_t count, first;

	site_get(heap, index, &site);
	count = stack_frames(heap, site.stack, all, STACK_FRAMES_MAX);
	count = count < STACK_FRAMES_MAX ? count : STACK_FRAMES_MAX;
	if (!count)
		no_stack(&site, indent, out);
	first = count ? (size_t)stack_first_user_frame(heap, site.stack) : 0;
	count = trimmed(all, first, count);
	count = count < first + frames ? count : first + frames;
	stack_locate(heap, site.stack, all, count);
	for (size_t i = first; i < count; i++) {
		buffer_clear(&line);
		stack_frame_print(&all[i], true, &line);
		buffer_append_repeat(out, ' ', indent);
		report_clip(buffer_text(&line), width > indent ? width - indent : 1, out);
		buffer_append_char(out, '\n');
	}
	buffer_release(&line);
	free(all);
}
