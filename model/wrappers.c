/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrappers of malloc, told by name and by use. */
#include "model/wrappers.h"

#include <string.h>

#include "base/hash.h"
#include "model/state.h"

#define LEVELS		6u	/* a wrapper is among that many innermost frames of the program */
#define LEVELS_NAMED	2u	/* so far known names are looked for behind others */
#define CALLERS_MIN	8u
#define PATHS_MAX	4u	/* ways from a wrapper to the allocator: malloc and realloc, say */
#define SHARE		10u	/* one in so many allocations, or bytes, goes through it */
#define SITES_LEARNT	200000u	/* more are looked at in steps */

struct function {
	uint64_t allocs, bytes;
	uint32_t callers, paths;
};

struct learner {
	struct heap *heap;
	VECTOR(struct function) functions;
	struct map seen;
	uint64_t allocs, bytes;
};

/* By names alone, kept while no new ones come. */
static enum place_role name_role(struct heap *heap, uint32_t place)
{
	struct wrappers *w = &heap->wrappers;

	if (w->roles_symbols != heap->modules.generation + 1) {
		vector_clear(&w->roles);
		w->roles_symbols = heap->modules.generation + 1;
	}
	if (place >= w->roles.count)
		vector_resize(&w->roles, heap->stacks.places.count);
	if (!w->roles.items[place])
		w->roles.items[place] = (uint8_t)stack_place_role(heap, place);
	return w->roles.items[place];
}

static bool is_learnt(const struct wrappers *w, uint32_t place)
{
	return place < w->learnt.count && w->learnt.items[place];
}

enum place_role wrappers_role(struct heap *heap, uint32_t place)
{
	enum place_role role = name_role(heap, place);

	return role == PLACE_USER && is_learnt(&heap->wrappers, place) ? PLACE_WRAPPER : role;
}

/* What stands inside of a wrapper belongs to it. */
uint32_t wrappers_caller(struct heap *heap, uint32_t stack)
{
	const struct stack_table *t = &heap->stacks;
	uint32_t found = 0, last = 0;
	unsigned users = 0;

	for (uint32_t node = stack; node >= STACK_FIRST && !(found && users >= LEVELS);
	     node = t->nodes.items[node].parent) {
		uint32_t place = t->nodes.items[node].frame;

		enum place_role role = wrappers_role(heap, place);

		if (role == PLACE_LIBRARY)
			continue;
		last = node;
		if (role == PLACE_WRAPPER && users < (is_learnt(&heap->wrappers, place) ? LEVELS : LEVELS_NAMED))
			found = 0;
		else if (!found && role == PLACE_USER)
			found = node;
		users++;
	}
	return found ? found : last ? last : stack;
}

/* A place without name is a function of its own. */
uint32_t wrappers_function(struct heap *heap, uint32_t place)
{
	struct wrappers *w = &heap->wrappers;
	const char *name;
	uint64_t *id;
	bool created;

	if (w->functions.items[place])
		return w->functions.items[place];
	name = stack_place_function(heap, place);
	id = map_place(&w->function_ids, name ? (uintptr_t)name : 1ull << 63 | place, &created);
	if (created)
		*id = map_count(&w->function_ids);
	return w->functions.items[place] = (uint32_t)*id;
}

/* As an index of l->functions. */
static uint32_t function_of(struct learner *l, uint32_t place)
{
	uint32_t function = wrappers_function(l->heap, place);

	if (function >= l->functions.count)
		vector_resize(&l->functions, function + 1);
	return function;
}

static bool is_new(struct learner *l, uint64_t a, uint64_t b)
{
	bool created;

	map_place(&l->seen, hash_pair(a, b), &created);
	return created;
}

static bool holds(const uint32_t *functions, size_t count, uint32_t function)
{
	for (size_t i = 0; i < count; i++)
		if (functions[i] == function)
			return true;
	return false;
}

/* Each of the innermost functions has one more caller and one more way inwards, if they are new. */
static void learn_stack(struct learner *l, const struct site *site)
{
	const struct stack_table *t = &l->heap->stacks;
	uint32_t chain[LEVELS + 1];
	uint64_t path = 0;
	size_t count = 0;

	for (uint32_t node = site->stack; node >= STACK_FIRST && count <= LEVELS; node = t->nodes.items[node].parent)
		if (name_role(l->heap, t->nodes.items[node].frame) == PLACE_USER)
			chain[count++] = function_of(l, t->nodes.items[node].frame);
	for (size_t i = 0; i + 1 < count && !holds(chain, i + 1, chain[i + 1]); i++) {
		struct function *f = &l->functions.items[chain[i]];

		f->callers += is_new(l, (uint64_t)chain[i] << 1, chain[i + 1]);
		f->paths += is_new(l, (uint64_t)chain[i] << 1 | 1, path);
		f->allocs += site->allocs;
		f->bytes += site->alloc_bytes;
		path = hash_pair(path, chain[i]);
	}
	l->allocs += site->allocs;
	l->bytes += site->alloc_bytes;
}

static bool is_wrapper(const struct learner *l, const struct function *f)
{
	return f->callers >= CALLERS_MIN && f->paths <= PATHS_MAX &&
	       (f->allocs >= l->allocs / SHARE || f->bytes >= l->bytes / SHARE);
}

static void forget(struct heap *heap)
{
	struct wrappers *w = &heap->wrappers;

	vector_clear(&w->learnt);
	vector_clear(&w->functions);
	map_clear(&w->function_ids);
	vector_resize(&w->learnt, heap->stacks.places.count);
	vector_resize(&w->functions, heap->stacks.places.count);
}

static void learn_all(struct heap *heap)
{
	struct wrappers *w = &heap->wrappers;
	struct learner l = { .heap = heap };
	size_t step = heap->sites.count / SITES_LEARNT + 1;

	forget(heap);
	map_init(&l.seen);
	for (size_t i = 0; i < heap->sites.count; i += step)
		if (heap->sites.items[i].class == HEAP_BLOCKS && heap->sites.items[i].stack != HEAP_NONE &&
		    !site_is_runtime(heap, (uint32_t)i))
			learn_stack(&l, &heap->sites.items[i]);
	for (size_t i = 0; i < w->functions.count; i++)
		w->learnt.items[i] = w->functions.items[i] && w->functions.items[i] < l.functions.count &&
				     is_wrapper(&l, &l.functions.items[w->functions.items[i]]);
	vector_release(&l.functions);
	map_release(&l.seen);
}

static bool is_current(const struct heap *heap)
{
	const struct wrappers *w = &heap->wrappers;

	return w->sites == heap->sites.count && w->symbols == heap->modules.generation &&
	       w->ended == heap->status.data_ended;
}

void wrappers_learn(struct heap *heap)
{
	struct wrappers *w = &heap->wrappers;

	if (is_current(heap))
		return;
	learn_all(heap);
	vector_resize(&w->callers, heap->sites.count);
	for (size_t i = 0; i < heap->sites.count; i++)
		w->callers.items[i] = heap->sites.items[i].stack == HEAP_NONE ? 0 :
				      wrappers_caller(heap, heap->sites.items[i].stack);
	w->sites = heap->sites.count;
	w->symbols = heap->modules.generation;
	w->ended = heap->status.data_ended;
}

void wrappers_follow(struct heap *heap)
{
	if (heap->wrappers.sites * 2 <= heap->sites.count || heap->status.data_ended)
		wrappers_learn(heap);
}

void wrappers_release(struct wrappers *w)
{
	vector_release(&w->roles);
	vector_release(&w->learnt);
	vector_release(&w->callers);
	vector_release(&w->functions);
	map_release(&w->function_ids);
}
