/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which findings a selection lets through. */
#include <stdio.h>
#include <string.h>

#include "model/findings.h"
#include "model/select_state.h"
#include "model/threads.h"

static bool stack_matches(const struct heap *heap, uint32_t stack, const char *text)
{
	for (; stack >= STACK_FIRST && stack < heap->stacks.nodes.count; stack = heap->stacks.nodes.items[stack].parent)
		if (stack_place_matches(heap, heap->stacks.nodes.items[stack].frame, text))
			return true;
	return false;
}

static bool act_matches(const struct heap *heap, const struct finding_act *act, const char *text)
{
	struct heap_thread thread;

	if (!act->known)
		return false;
	if (strcasestr(finding_op_label(act->op), text) || (act->stack != HEAP_NONE && stack_matches(heap, act->stack, text)))
		return true;
	if (act->thread >= thread_count(heap))
		return false;
	thread_get(heap, act->thread, &thread);
	return strcasestr(thread.name, text) != NULL;
}

static bool search_matches(const struct heap *heap, const struct finding *f, const char *text)
{
	char pointer[24];

	snprintf(pointer, sizeof(pointer), "0x%llx", (unsigned long long)f->ptr);
	return strstr(pointer, text) || strcasestr(finding_kind_label(f->kind), text) ||
	       act_matches(heap, &f->free, text) || act_matches(heap, &f->earlier, text) ||
	       act_matches(heap, &f->alloc, text);
}

/* Of the block; a pointer without one has neither state nor age. */
static bool block_matches(const struct heap *heap, const struct select_filter *filter, uint32_t record)
{
	struct block_record r;

	if (filter->state == SELECT_ALL && !filter->min_age_ns)
		return true;
	if (record >= block_count(heap))
		return false;
	block_get(heap, record, &r);
	return r.age_ns >= filter->min_age_ns &&
	       (filter->state == SELECT_ALL || (filter->state == SELECT_LEAKS && r.state == BLOCK_LEAKED) ||
		(filter->state == SELECT_ACTIVE && r.state == BLOCK_ACTIVE) ||
		(filter->state == SELECT_FREED && r.state == BLOCK_FREED));
}

bool select_finding(const struct selection *s, size_t index)
{
	const struct select_filter *filter = &s->filter;
	struct finding f;

	finding_get(s->heap, index, &f);
	if (filter->thread != HEAP_NONE && f.free.thread != filter->thread)
		return false;
	if ((filter->delta && f.last_ns <= filter->delta_ns) ||
	    (filter->range && (f.last_ns < filter->range_from_ns || f.first_ns > filter->range_to_ns)))
		return false;
	return block_matches(s->heap, filter, f.record) && (!s->search.text || search_matches(s->heap, &f, s->search.text));
}
