/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings as the outside sees them. */
#include "model/findings.h"

#include <signal.h>
#include <string.h>

#include "model/stacks.h"
#include "model/state.h"
#include "trace/ops.h"

const char *finding_kind_label(enum finding_kind kind)
{
	static const char *const labels[FINDING_KINDS] = { "mismatch", "double free", "unknown pointer" };

	return labels[kind];
}

static const char *family_label(uint8_t family)
{
	switch (family) {
	case OP_FAMILY_MALLOC:
		return "malloc";
	case OP_FAMILY_NEW:
		return "new";
	case OP_FAMILY_NEW_ARRAY:
		return "new[]";
	default:
		return NULL;
	}
}

/* A text log does not say what it leaves out.  If most frees without a block are of addresses
 * that were never in it, it left out many, and those that were may have been used again unseen. */
static bool doubts_hold(const struct heap *heap)
{
	return heap->status.unknown_frees > 2 * heap->found.doubtful;
}

static bool called_by(const struct heap *heap, uint32_t stack, const char *operator)
{
	struct stack_frame frame;

	return stack >= STACK_FIRST && stack_frames(heap, stack, &frame, 1) && frame.function &&
	       !strncmp(frame.function, operator, strlen(operator));
}

/* A copy of operator new linked into the program calls malloc; the delete that fits it may be
 * libstdc++'s.  Or the other way round.  The names that tell may come late;
 * a jump to malloc leaves none, so a guess is not made of it. */
static bool own_operators(const struct heap *heap, const struct found *f)
{
	uint64_t generation = stack_symbols_generation(heap) + 1;
	struct found *known = (struct found *)f;

	if (f->kind != FINDING_MISMATCH || f->names_known == generation)
		return f->own;
	known->names_known = generation;
	known->own = f->family == OP_FAMILY_MALLOC ?
		     f->inferred || called_by(heap, f->alloc.stack, "operator new") :
		     op_family(f->free.op) == OP_FAMILY_MALLOC && called_by(heap, f->free.stack, "operator delete");
	return f->own;
}

static bool shown(const struct heap *heap, const struct found *f)
{
	return f->count && !(f->doubtful && doubts_hold(heap)) && !own_operators(heap, f);
}

size_t finding_count(const struct heap *heap)
{
	size_t count = 0;

	for (size_t i = 0; i < heap->found.groups.count; i++)
		count += shown(heap, &heap->found.groups.items[i]);
	return count;
}

static struct finding_act act_of(const struct heap *heap, const struct found_act *act)
{
	return (struct finding_act){
		.known = act->known, .op = act->op, .thread = act->known ? act->thread : HEAP_NONE,
		.stack = act->stack >= STACK_FIRST ? act->stack : HEAP_NONE, .ns = heap_ns(heap, act->stamp),
	};
}

/* The last thing its thread did before the program was aborted. */
static bool fatal(const struct heap *heap, const struct found *f)
{
	return heap->status.end == HEAP_KILLED && heap->status.end_value == SIGABRT &&
	       heap->threads.items[f->free.thread].last_stamp == f->last;
}

void finding_get(const struct heap *heap, size_t index, struct finding *out)
{
	const struct found *f = heap->found.groups.items;

	for (; !shown(heap, f) || index; f++)
		index -= shown(heap, f);
	*out = (struct finding){
		.kind = (enum finding_kind)f->kind, .inferred = f->inferred, .count = f->count,
		.first_ns = heap_ns(heap, f->first), .last_ns = heap_ns(heap, f->last),
		.ptr = f->ptr, .size = f->size, .record = f->record, .site = f->site,
		.alloc = act_of(heap, &f->alloc), .earlier = act_of(heap, &f->earlier), .free = act_of(heap, &f->free),
		.family = family_label(f->family),
		.fatal = fatal(heap, f),
	};
}

/* The example itself, or the newest group with the same kind and site. */
size_t finding_of_record(const struct heap *heap, uint32_t id)
{
	const struct record *r = record_at(heap, id);
	uint8_t kind = record_flags(r) & RECORD_DOUBLE ? FINDING_DOUBLE : FINDING_MISMATCH;
	size_t index = 0, best = SIZE_MAX;

	if (!(record_flags(r) & (RECORD_DOUBLE | RECORD_MISMATCH)))
		return SIZE_MAX;
	for (size_t i = 0; i < heap->found.groups.count; i++) {
		const struct found *f = &heap->found.groups.items[i];

		if (!shown(heap, f))
			continue;
		if (f->record == id)
			return index;
		if (f->kind == kind && f->site == record_site(heap, r))
			best = index;
		index++;
	}
	return best;
}

void finding_sums(const struct heap *heap, struct finding_sums *out)
{
	*out = heap->found.sums;
	for (size_t i = 0; i < heap->found.groups.count; i++) {
		const struct found *f = &heap->found.groups.items[i];

		if (!own_operators(heap, f))
			continue;
		out->all -= f->count;
		out->kinds[FINDING_MISMATCH] -= f->count;
		out->inferred -= f->inferred ? f->count : 0;
	}
	if (doubts_hold(heap))
		return;
	out->all += heap->found.doubtful;
	out->kinds[FINDING_DOUBLE] += heap->found.doubtful;
	out->inferred += heap->found.doubtful;
}
