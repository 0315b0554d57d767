/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folded call sites. */
#include "model/report_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/stacks.h"
#include "model/state.h"

#define NO_STACK	(1ull << 63)
#define ROUTE_FRAMES	3u

struct folder {
	struct heap *heap;
	VECTOR(struct fold) folds;
	struct map by_key;
};

/* The place that called the wrappers; wrappers_learn() was there before. */
static uint64_t fold_key(const struct heap *heap, uint32_t index)
{
	const struct site *site = &heap->sites.items[index];

	if (site->stack == HEAP_NONE)
		return NO_STACK | (uint64_t)site->op << 8 | site->bucket;
	return heap->stacks.nodes.items[heap->wrappers.callers.items[index]].frame;
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
		*count = site->live - site->leaked;
		*bytes = site->live_bytes - site->leaked_bytes;
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

/* The variances of the same figures; the put-aside value is that of the peak if its epoch is. */
static const struct noise *measure_noise(const struct heap *heap, uint32_t index, enum site_cost cost)
{
	const struct noise_books *books = noise_of_site(heap, index);
	const struct site *site = &heap->sites.items[index];

	switch (cost) {
	case SITE_BY_LEAKED:
		return site_leak_noise(heap, index);
	case SITE_BY_PEAK:
		return site->epoch == heap->totals[site->class].epoch ? &books->peak : &books->live;
	case SITE_BY_LIVE:
		return &books->live;
	default:
		return &books->made;
	}
}

static void fold_add(struct folder *f, const struct heap_site *site, enum site_cost by, uint64_t key)
{
	uint64_t cost = site_cost(site, by), count, bytes, *index;
	struct fold *fold;
	bool created;

	if (!cost)
		return;
	index = map_place(&f->by_key, key, &created);
	if (created) {
		*index = f->folds.count;
		vector_push(&f->folds, (struct fold){ .key = key, .site = site->index });
	}
	fold = &f->folds.items[*index];
	measure(site, by, &count, &bytes);
	fold->cost += cost;
	fold->count += count;
	fold->bytes += bytes;
	noise_add(&fold->noise, measure_noise(f->heap, site->index, by), true);
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

/* The dearest into out; the folder is done with. */
static size_t folds_take(struct folder *f, struct fold *out, size_t max, size_t *found)
{
	size_t count = f->folds.count < max ? f->folds.count : max;

	if (f->folds.count)
		qsort(f->folds.items, f->folds.count, sizeof(*f->folds.items), compare);
	if (count)
		memcpy(out, f->folds.items, count * sizeof(*out));
	if (found)
		*found = f->folds.count;
	vector_release(&f->folds);
	map_release(&f->by_key);
	return count;
}

size_t report_folds(struct heap *heap, enum site_cost cost, enum heap_class which,
	struct fold *out, size_t max, size_t *found)
{
	struct folder f = { .heap = heap };

	wrappers_learn(heap);
	map_init(&f.by_key);
	for (uint32_t i = 0; i < heap->sites.count; i++) {
		struct heap_site site;

		if (heap->sites.items[i].class != which)
			continue;
		site_get(heap, i, &site);
		if (!site.runtime)
			fold_add(&f, &site, cost, fold_key(heap, i));
	}
	return folds_take(&f, out, max, found);
}

/* The next few functions out from where a site is; equal for stacks that go the same way there. */
static uint64_t route_of(struct heap *heap, uint32_t site)
{
	const struct stack_table *t = &heap->stacks;
	uint32_t node = t->nodes.items[heap->wrappers.callers.items[site]].parent;
	uint64_t route = 1;

	for (unsigned i = 0; i < ROUTE_FRAMES && node >= STACK_FIRST; i++) {
		route = hash_pair(route, wrappers_function(heap, t->nodes.items[node].frame));
		node = t->nodes.items[node].parent;
	}
	return route;
}

/* Folds again, by where the stacks of one fold come from. */
size_t report_routes(struct heap *heap, enum site_cost cost, enum heap_class which,
	const struct fold *fold, struct fold *out, size_t max, size_t *found)
{
	struct folder f = { .heap = heap };

	map_init(&f.by_key);
	for (uint32_t i = 0; i < heap->sites.count && !(fold->key & NO_STACK); i++) {
		struct heap_site site;

		if (heap->sites.items[i].class != which || heap->sites.items[i].stack == HEAP_NONE ||
		    fold_key(heap, i) != fold->key)
			continue;
		site_get(heap, i, &site);
		if (!site.runtime)
			fold_add(&f, &site, cost, route_of(heap, i));
	}
	return folds_take(&f, out, max, found);
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

static void put_name(const struct stack_frame *frame, struct buffer *line)
{
	struct stack_frame name = *frame;

	if (name.function)
		name.module = name.file = NULL;
	if (line->length)
		buffer_append_string(line, " < ");
	stack_frame_print(&name, false, line);
}

/* One line for the wrappers between the allocator and the call site; those of libraries that
 * everybody knows are left out. */
static void wrappers_line(struct heap *heap, uint32_t site, unsigned indent, unsigned width,
	struct buffer *out)
{
	const struct stack_table *t = &heap->stacks;
	uint32_t end = heap->wrappers.callers.items[site];
	struct buffer line = BUFFER_INIT;
	static const char tail[] = ", called by";
	unsigned room = (unsigned)(indent + sizeof(tail));

	for (uint32_t node = heap->sites.items[site].stack; node != end; node = t->nodes.items[node].parent) {
		struct stack_frame frames[TRACE_INLINE_MAX];
		size_t count = stack_place_frames(heap, t->nodes.items[node].frame, frames, TRACE_INLINE_MAX);

		if (wrappers_role(heap, t->nodes.items[node].frame) != PLACE_LIBRARY)
			put_name(&frames[count < TRACE_INLINE_MAX ? count - 1 : TRACE_INLINE_MAX - 1], &line);
	}
	if (line.length) {
		buffer_append_repeat(out, ' ', indent);
		report_clip(buffer_text(&line), width > room ? width - room : 1, out);
		buffer_printf(out, "%s\n", tail);
	}
	buffer_release(&line);
}

void report_route(struct heap *heap, uint32_t site, unsigned columns, struct buffer *out)
{
	struct stack_frame *all = xreallocarray(NULL, STACK_FRAMES_MAX, sizeof(*all));
	uint32_t stack = heap->sites.items[site].stack, node = heap->wrappers.callers.items[site];
	size_t count = stack_frames(heap, stack, all, STACK_FRAMES_MAX);
	size_t first = stack_frames_before(heap, stack, heap->stacks.nodes.items[node].parent);
	struct buffer line = BUFFER_INIT;

	count = trimmed(all, first, count < STACK_FRAMES_MAX ? count : STACK_FRAMES_MAX);
	for (size_t i = first; i < count && i < first + ROUTE_FRAMES; i++)
		put_name(&all[i], &line);
	report_clip(line.length ? buffer_text(&line) : "nobody", columns, out);
	buffer_release(&line);
	free(all);
}

/* The frames worth showing, one a line; the wrappers of a site in a line before them. */
static void put_frames(struct heap *heap, uint32_t stack, uint32_t site, unsigned frames, unsigned indent,
	unsigned width, struct buffer *out)
{
	struct stack_frame *all = xreallocarray(NULL, STACK_FRAMES_MAX, sizeof(*all));
	struct buffer line = BUFFER_INIT;
	size_t count = stack_frames(heap, stack, all, STACK_FRAMES_MAX), first;

	count = count < STACK_FRAMES_MAX ? count : STACK_FRAMES_MAX;
	first = count ? (size_t)stack_first_user_frame(heap, stack) : 0;
	count = trimmed(all, first, count);
	count = count < first + frames ? count : first + frames;
	stack_locate(heap, stack, all, count);
	if (count && site != HEAP_NONE)
		wrappers_line(heap, site, indent, width, out);
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

void report_stack(struct heap *heap, uint32_t index, unsigned frames, unsigned indent,
	unsigned width, struct buffer *out)
{
	struct heap_site site;

	site_get(heap, index, &site);
	if (!stack_frames(heap, site.stack, NULL, 0))
		no_stack(&site, indent, out);
	else
		put_frames(heap, site.stack, index, frames, indent, width, out);
}

void report_frames(struct heap *heap, uint32_t stack, unsigned frames, unsigned indent, unsigned width,
	struct buffer *out)
{
	put_frames(heap, stack, HEAP_NONE, frames, indent, width, out);
}
