/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrong frees, as the hook reports them or as they can be inferred: into groups. */
#include "model/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "model/state.h"

/* What must agree between an allocation and its release: the family, and for new and delete
 * whether an alignment was given. */
static const uint8_t families[256] = {
#define X(id, symbol, label, kind, family) [OP_##id] = OP_FAMILY_##family,
	TRACE_FUNCTIONS(X)
#undef X
#define X(id, label, kind, family) [OP_##id] = OP_FAMILY_##family,
	TRACE_OWN_OPS(X)
	TRACE_PSEUDO_OPS(X)
#undef X
};

static const bool aligned[256] = {
	[OP_NEW_AL] = true, [OP_NEW_AL_NT] = true, [OP_NEWA_AL] = true, [OP_NEWA_AL_NT] = true,
	[OP_DELETE_AL] = true, [OP_DELETE_SZ_AL] = true, [OP_DELETE_AL_NT] = true,
	[OP_DELETEA_AL] = true, [OP_DELETEA_SZ_AL] = true, [OP_DELETEA_AL_NT] = true,
};

bool ops_fit(uint8_t alloc, uint8_t release)
{
	return families[alloc] == families[release] && aligned[alloc] == aligned[release];
}

const char *finding_op_label(uint8_t op)
{
	switch (op) {
	case OP_REALLOC_FREE:
		return "realloc";
	case OP_NEW_AL:
	case OP_NEW_AL_NT:
		return "new (aligned)";
	case OP_NEWA_AL:
	case OP_NEWA_AL_NT:
		return "new[] (aligned)";
	case OP_DELETE_AL:
	case OP_DELETE_SZ_AL:
	case OP_DELETE_AL_NT:
		return "delete (aligned)";
	case OP_DELETEA_AL:
	case OP_DELETEA_SZ_AL:
	case OP_DELETEA_AL_NT:
		return "delete[] (aligned)";
	default:
		return op_label(op);
	}
}

void found_init(struct found_list *list)
{
	map_init(&list->by_key);
	list->freed = xcalloc(FREED_SLOTS, sizeof(*list->freed));
}

void found_release(struct found_list *list)
{
	vector_release(&list->groups);
	map_release(&list->by_key);
	free(list->freed);
}

/* Another program: addresses start anew. */
void found_exec(struct found_list *list)
{
	memset(list->freed, 0, FREED_SLOTS * sizeof(*list->freed));
}

void found_remember(struct heap *heap, const struct live_block *block, uint32_t thread,
	const struct trace_event *event)
{
	*found_slot(&heap->found, block->ptr) = (struct freed_block){
		.ptr = block->ptr,
		.size = (block->size & RECORD_LOW) | (uint64_t)block->op << 48 | (uint64_t)event->op << 56,
		.born = block_born(heap, block), .died = event->stamp,
		.site = block->site, .thread = block->thread,
		.free_thread = thread, .free_stack = event->stack, .record = block_record_id(heap, block),
	};
}

static void take_alloc(struct heap *heap, struct found *f, uint32_t site, uint32_t thread, uint8_t op,
	uint64_t born)
{
	f->site = site;
	f->family = families[op];
	f->alloc = (struct found_act){
		.stamp = born, .thread = thread, .stack = heap->sites.items[site].stack, .op = op, .known = true,
	};
}

static void take_live(struct heap *heap, struct found *f, const struct live_block *block)
{
	f->size = block->size;
	f->record = block_record_id(heap, block);
	take_alloc(heap, f, block->site, block->thread, block->op, block_born(heap, block));
}

static void take_freed(struct heap *heap, struct found *f)
{
	const struct freed_block *freed = found_slot(&heap->found, f->ptr);

	if (freed->ptr != f->ptr)
		return;
	f->size = freed->size & RECORD_LOW;
	f->record = freed->record;
	take_alloc(heap, f, freed->site, freed->thread, (uint8_t)(freed->size >> 48), freed->born);
	f->earlier = (struct found_act){
		.stamp = freed->died, .thread = freed->free_thread, .stack = freed->free_stack,
		.op = (uint8_t)(freed->size >> 56), .known = true,
	};
}

static uint64_t key_of(const struct found *f)
{
	uint64_t where = f->free.stack >= STACK_FIRST ? f->free.stack : (uint64_t)f->free.op << 32;

	return hash_pair(hash_pair(f->kind | (uint64_t)f->family << 8, where), (uint64_t)f->site + 1);
}

static void count(struct found_list *list, const struct found *f, uint64_t sign)
{
	if (f->doubtful) {
		list->doubtful += sign;
		return;
	}
	list->sums.all += sign;
	list->sums.kinds[f->kind] += sign;
	if (f->inferred)
		list->sums.inferred += sign;
}

static uint32_t add(struct heap *heap, struct found *f)
{
	struct found_list *list = &heap->found;
	struct found *group;
	uint64_t *index;
	bool created;

	count(list, f, 1);
	f->count = 1;
	f->first = f->last = f->free.stamp;
	if (list->groups.count == FINDING_GROUPS_MAX && !map_find(&list->by_key, key_of(f))) {
		list->sums.beyond += !f->doubtful;
		return FOUND_NONE;
	}
	index = map_place(&list->by_key, key_of(f), &created);
	if (created) {
		*index = list->groups.count;
		vector_push(&list->groups, *f);
		return (uint32_t)*index;
	}
	group = &list->groups.items[*index];
	group->last = f->free.stamp;
	if (!group->count++)
		*group = *f; /* it was retracted */
	return (uint32_t)*index;
}

static struct found found_start(enum finding_kind kind, uint32_t thread, const struct trace_event *event)
{
	return (struct found){
		.kind = (uint8_t)kind, .ptr = event->ptr, .site = HEAP_NONE, .record = HEAP_NONE,
		.free = { event->stamp, thread, event->stack, event->op, true },
	};
}

static enum finding_kind kind_of(uint8_t op)
{
	return op == OP_FOUND_MISMATCH ? FINDING_MISMATCH : op == OP_FOUND_DOUBLE ? FINDING_DOUBLE : FINDING_UNKNOWN;
}

void found_event(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	struct found f = found_start(kind_of(event->op), thread, event);
	struct thread *t = &heap->threads.items[thread];
	const struct live_block *block = live_find(&heap->live, event->ptr);

	if (!event->ptr)
		return;
	f.free.op = (uint8_t)FOUND_OP(event->size);
	if (f.kind == FINDING_DOUBLE)
		take_freed(heap, &f);
	else if (f.kind == FINDING_MISMATCH && block)
		take_live(heap, &f, block);
	if (!f.family)
		f.family = (uint8_t)FOUND_FAMILY(event->size);
	if (f.record != HEAP_NONE)
		record_mark(heap, f.record, f.kind == FINDING_DOUBLE ? RECORD_DOUBLE : RECORD_MISMATCH);
	t->found_ptr = event->ptr;
	t->found_group = add(heap, &f);
}

/* Did the hook speak of this free? */
static bool was_told(struct heap *heap, uint32_t thread, uint64_t ptr, uint32_t *group)
{
	struct thread *t = &heap->threads.items[thread];
	bool told = t->found_ptr == ptr;

	*group = told ? t->found_group : FOUND_NONE;
	t->found_ptr = 0;
	return told;
}

void found_mismatch(struct heap *heap, uint32_t thread, const struct trace_event *event,
	const struct live_block *block)
{
	struct found f = found_start(FINDING_MISMATCH, thread, event);
	uint32_t group;

	if (was_told(heap, thread, event->ptr, &group) || heap->watched)
		return;
	f.inferred = true;
	take_live(heap, &f, block);
	add(heap, &f);
}

uint32_t found_unmatched(struct heap *heap, uint32_t thread, const struct trace_event *event)
{
	bool freed = found_slot(&heap->found, event->ptr)->ptr == event->ptr;
	struct found f = found_start(freed ? FINDING_DOUBLE : FINDING_UNKNOWN, thread, event);
	uint32_t group;

	if (was_told(heap, thread, event->ptr, &group))
		return group;
	f.inferred = true;
	f.doubtful = heap->filtered;
	if (heap->watched || (heap->filtered && (!freed || heap->format != HEAP_FORMAT_TEXT)))
		return FOUND_NONE;
	take_freed(heap, &f);
	if (f.record != HEAP_NONE)
		record_mark(heap, f.record, RECORD_DOUBLE);
	return add(heap, &f);
}

void found_retract(struct heap *heap, uint32_t group)
{
	struct found *f;

	if (group == FOUND_NONE)
		return;
	f = &heap->found.groups.items[group];
	f->count--;
	count(&heap->found, f, UINT64_MAX);
}

void found_forget_since(struct heap *heap, uint64_t stamp)
{
	for (size_t i = 0; i < heap->found.groups.count; i++) {
		struct found *f = &heap->found.groups.items[i];

		if (!f->inferred || f->kind == FINDING_MISMATCH || f->last < stamp)
			continue;
		count(&heap->found, f, -f->count);
		f->count = 0;
	}
}
