/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrappers of malloc, told by name and by use. */
#include "model/wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "model/stacks.h"
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

/* What is learnt is kept apart until all of it is: those who ask meanwhile are told the same as
 * before. */
struct learner {
	struct heap *heap;
	size_t sites, every;			/* how many there are, and which of them are looked at */
	uint64_t symbols;
	bool ended;
	size_t looked, judged, told;		/* sites, places, sites */
	VECTOR(struct function) functions;	/* by number */
	VECTOR(uint32_t) numbers;		/* as wrappers.functions */
	struct map number_of;			/* as wrappers.function_ids */
	VECTOR(bool) learnt;
	VECTOR(uint32_t) callers;
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

/* The node of a stack that called the wrappers, with what use told of them. */
static uint32_t caller_of(struct heap *heap, uint32_t stack, const bool *learnt, size_t places)
{
	const struct stack_table *t = &heap->stacks;
	uint32_t found = 0, last = 0;
	unsigned users = 0;

	for (uint32_t node = stack; node >= STACK_FIRST && !(found && users >= LEVELS);
	     node = t->nodes.items[node].parent) {
		uint32_t place = t->nodes.items[node].frame;
		bool by_use = place < places && learnt[place];
		enum place_role role = name_role(heap, place);

		if (role == PLACE_LIBRARY)
			continue;
		last = node;
		/* What stands inside of a wrapper belongs to it. */
		if ((role == PLACE_WRAPPER || by_use) && users < (by_use ? LEVELS : LEVELS_NAMED))
			found = 0;
		else if (!found && role == PLACE_USER && !by_use)
			found = node;
		users++;
	}
	return found ? found : last ? last : stack;
}

uint32_t wrappers_caller(struct heap *heap, uint32_t stack)
{
	return caller_of(heap, stack, heap->wrappers.learnt.items, heap->wrappers.learnt.count);
}

/* A place without name is a function of its own. */
static uint32_t number_of(struct heap *heap, struct map *ids, uint32_t place)
{
	const char *name = stack_place_function(heap, place);
	bool created;
	uint64_t *id = map_place(ids, name ? (uintptr_t)name : 1ull << 63 | place, &created);

	if (created)
		*id = map_count(ids);
	return (uint32_t)*id;
}

uint32_t wrappers_function(struct heap *heap, uint32_t place)
{
	struct wrappers *w = &heap->wrappers;

	if (place >= w->functions.count)
		vector_resize(&w->functions, heap->stacks.places.count);
	if (!w->functions.items[place])
		w->functions.items[place] = number_of(heap, &w->function_ids, place);
	return w->functions.items[place];
}

/* As an index of l->functions. */
static uint32_t function_of(struct learner *l, uint32_t place)
{
	uint32_t function;

	if (place >= l->numbers.count)
		vector_resize(&l->numbers, l->heap->stacks.places.count);
	if (!l->numbers.items[place])
		l->numbers.items[place] = number_of(l->heap, &l->number_of, place);
	function = l->numbers.items[place];
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

static struct learner *learner_new(struct heap *heap)
{
	struct learner *l = xcalloc(1, sizeof(*l));

	l->heap = heap;
	l->sites = heap->sites.count;
	l->every = l->sites / SITES_LEARNT + 1;
	l->symbols = heap->modules.generation;
	l->ended = heap->status.data_ended;
	map_init(&l->seen);
	map_init(&l->number_of);
	return l;
}

static void learner_free(struct learner *l)
{
	if (!l)
		return;
	vector_release(&l->functions);
	vector_release(&l->numbers);
	vector_release(&l->learnt);
	vector_release(&l->callers);
	map_release(&l->seen);
	map_release(&l->number_of);
	free(l);
}

/* Each of the three returns how much of max is left. */
static size_t look_at_sites(struct learner *l, size_t max)
{
	for (; max && l->looked < l->sites; max--, l->looked += l->every) {
		const struct site *site = &l->heap->sites.items[l->looked];

		if (site->class == HEAP_BLOCKS && site->stack != HEAP_NONE &&
		    !site_is_runtime(l->heap, (uint32_t)l->looked))
			learn_stack(l, site);
	}
	return max;
}

static size_t judge_places(struct learner *l, size_t max)
{
	if (!l->learnt.count)
		vector_resize(&l->learnt, l->numbers.count);
	for (; max && l->judged < l->learnt.count; max--, l->judged++) {
		uint32_t number = l->numbers.items[l->judged];

		l->learnt.items[l->judged] = number && number < l->functions.count &&
					     is_wrapper(l, &l->functions.items[number]);
	}
	return max;
}

static size_t tell_callers(struct learner *l, size_t max)
{
	if (!l->callers.count)
		vector_resize(&l->callers, l->sites);
	for (; max && l->told < l->sites; max--, l->told++) {
		uint32_t stack = l->heap->sites.items[l->told].stack;

		l->callers.items[l->told] = stack == HEAP_NONE ? 0 :
					    caller_of(l->heap, stack, l->learnt.items, l->learnt.count);
	}
	return max;
}

#define SWAP(a, b) do { __typeof__(a) swap_ = (a); (a) = (b); (b) = swap_; } while (0)
/* Of anonymous types that are the same but in name. */
#define SWAP_VECTOR(a, b) \
	do { \
		SWAP((a)->items, (b)->items); \
		SWAP((a)->count, (b)->count); \
		SWAP((a)->capacity, (b)->capacity); \
	} while (0)

static void take_over(struct learner *l)
{
	struct wrappers *w = &l->heap->wrappers;

	SWAP_VECTOR(&w->learnt, &l->learnt);
	SWAP_VECTOR(&w->functions, &l->numbers);
	SWAP_VECTOR(&w->callers, &l->callers);
	SWAP(w->function_ids, l->number_of);
	w->sites = l->sites;
	w->symbols = l->symbols;
	w->ended = l->ended;
	w->generation++;
}

static bool is_current(const struct heap *heap)
{
	const struct wrappers *w = &heap->wrappers;

	return w->sites == heap->sites.count && w->symbols == heap->modules.generation &&
	       w->ended == heap->status.data_ended;
}

bool wrappers_step(struct heap *heap, size_t max)
{
	struct wrappers *w = &heap->wrappers;

	/* Numbers of functions go by their names. */
	if (w->learner && w->learner->symbols != heap->modules.generation) {
		learner_free(w->learner);
		w->learner = NULL;
	}
	if (!w->learner && is_current(heap))
		return true;
	if (!w->learner)
		w->learner = learner_new(heap);
	max = look_at_sites(w->learner, max);
	max = max ? judge_places(w->learner, max) : 0;
	max = max ? tell_callers(w->learner, max) : 0;
	if (!max)
		return false;
	take_over(w->learner);
	learner_free(w->learner);
	w->learner = NULL;
	return true;
}

void wrappers_learn(struct heap *heap)
{
	while (!is_current(heap))
		wrappers_step(heap, SIZE_MAX);
}

/* Worth it at the end, and when there are twice as many sites. */
static bool is_due(const struct heap *heap)
{
	return heap->wrappers.learner || ((heap->wrappers.sites * 2 <= heap->sites.count || heap->status.data_ended) &&
					  !is_current(heap));
}

void wrappers_follow(struct heap *heap)
{
	if (!heap->wrappers.in_steps && is_due(heap))
		wrappers_learn(heap);
}

bool stack_learn_step(struct heap *heap, size_t max)
{
	heap->wrappers.in_steps = true;
	return !is_due(heap) || wrappers_step(heap, max);
}

void wrappers_release(struct wrappers *w)
{
	learner_free(w->learner);
	vector_release(&w->roles);
	vector_release(&w->learnt);
	vector_release(&w->callers);
	vector_release(&w->functions);
	map_release(&w->function_ids);
}
