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

VECTOR_STRUCT(fold_list, struct fold);

struct folder {
	struct heap *heap;
	enum site_cost cost;
	enum heap_class which;
	struct fold_list folds;
	struct map by_key;
	uint32_t *next;			/* by site: the next one of its fold */
	uint32_t sites, at;
};

/* The place that called the wrappers, as was learnt before. */
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

static struct fold *fold_of(struct fold_list *folds, struct map *by_key, uint64_t key, uint32_t site)
{
	bool created;
	uint64_t *index = map_place(by_key, key, &created);

	if (created) {
		*index = folds->count;
		vector_push(folds, (struct fold){ .key = key, .site = site, .first = HEAP_NONE, .last = HEAP_NONE });
	}
	return &folds->items[*index];
}

static void fold_add(const struct folder *f, struct fold *fold, const struct heap_site *site)
{
	uint64_t cost = site_cost(site, f->cost), count, bytes;

	measure(site, f->cost, &count, &bytes);
	fold->cost += cost;
	fold->count += count;
	fold->bytes += bytes;
	noise_add(&fold->noise, measure_noise(f->heap, site->index, f->cost), true);
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

/* The dearest into out. */
static size_t folds_top(struct fold_list *folds, struct fold *out, size_t max, size_t *found)
{
	size_t count = folds->count < max ? folds->count : max;

	if (folds->count)
		qsort(folds->items, folds->count, sizeof(*folds->items), compare);
	if (count)
		memcpy(out, folds->items, count * sizeof(*out));
	*found = folds->count;
	return count;
}

struct folder *folder_new(struct heap *heap, enum site_cost cost, enum heap_class which)
{
	struct folder *f = xcalloc(1, sizeof(*f));

	f->heap = heap;
	f->cost = cost;
	f->which = which;
	f->sites = (uint32_t)heap->wrappers.callers.count;
	f->next = xcalloc(f->sites + 1ul, sizeof(*f->next));
	map_init(&f->by_key);
	return f;
}

void folder_free(struct folder *f)
{
	if (!f)
		return;
	vector_release(&f->folds);
	map_release(&f->by_key);
	free(f->next);
	free(f);
}

/* Sites of a fold stay in their order. */
static void folder_add(struct folder *f, uint32_t index)
{
	struct heap_site site;
	struct fold *fold;

	if (f->heap->sites.items[index].class != f->which)
		return;
	site_get(f->heap, index, &site);
	if (site.runtime || !site_cost(&site, f->cost))
		return;
	fold = fold_of(&f->folds, &f->by_key, fold_key(f->heap, index), index);
	fold_add(f, fold, &site);
	f->next[index] = HEAP_NONE;
	if (fold->last == HEAP_NONE)
		fold->first = index;
	else
		f->next[fold->last] = index;
	fold->last = index;
}

bool folder_step(struct folder *f, size_t max)
{
	for (; max && f->at < f->sites; f->at++, max--)
		folder_add(f, f->at);
	return f->at == f->sites;
}

size_t folder_top(struct folder *f, struct fold *out, size_t max, size_t *found)
{
	return folds_top(&f->folds, out, max, found);
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

size_t folder_routes(const struct folder *f, const struct fold *fold, struct fold *out, size_t max,
	size_t *found)
{
	uint32_t first = fold->key & NO_STACK ? HEAP_NONE : fold->first;
	struct fold_list routes = { 0 };
	struct map by_key;
	size_t count;

	map_init(&by_key);
	for (uint32_t i = first; i != HEAP_NONE; i = f->next[i]) {
		struct heap_site site;

		site_get(f->heap, i, &site);
		fold_add(f, fold_of(&routes, &by_key, route_of(f->heap, i), i), &site);
	}
	count = folds_top(&routes, out, max, found);
	vector_release(&routes);
	map_release(&by_key);
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
