/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a record pass the filter?  A search asks each frame, thread and op only once. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/select_state.h"

#define NODES_MAX	1024u

enum { ASK, NO, YES };

void search_set(struct search *search, const char *text)
{
	free(search->text);
	search->text = NULL;
	search_forget(search);
	if (!text || !*text)
		return;
	search->text = xstrdup(text);
	search->hex = true;
	for (char *p = search->text; *p; p++) {
		*p = (char)tolower((unsigned char)*p);
		if (!isxdigit((unsigned char)*p) && *p != 'x')
			search->hex = false;
	}
}

/* Names have come: ask again. */
void search_forget(struct search *search)
{
	search->places.count = search->nodes.count = search->threads.count = 0;
	memset(search->ops, ASK, sizeof(search->ops));
}

void search_release(struct search *search)
{
	free(search->text);
	vector_release(&search->places);
	vector_release(&search->nodes);
	vector_release(&search->threads);
}

static bool place_matches(struct selection *s, uint32_t place)
{
	struct search *search = &s->search;

	if (place >= search->places.count)
		vector_resize(&search->places, s->heap->stacks.places.count);
	if (search->places.items[place] == ASK)
		search->places.items[place] = stack_place_matches(s->heap, place, search->text) ? YES : NO;
	return search->places.items[place] == YES;
}

/* A stack matches when its innermost frame or the stack of its caller does. */
static bool stack_matches(struct selection *s, uint32_t stack)
{
	const struct stack_table *t = &s->heap->stacks;
	uint32_t path[NODES_MAX];
	size_t depth = 0;
	uint8_t answer = NO;

	if (s->search.nodes.count < t->nodes.count)
		vector_resize(&s->search.nodes, t->nodes.count);
	while (stack >= STACK_FIRST && depth < NODES_MAX && s->search.nodes.items[stack] == ASK) {
		path[depth++] = stack;
		stack = t->nodes.items[stack].parent;
	}
	if (stack >= STACK_FIRST)
		answer = s->search.nodes.items[stack];
	while (depth-- > 0) {
		if (answer != YES && place_matches(s, t->nodes.items[path[depth]].frame))
			answer = YES;
		else if (answer == ASK)
			answer = NO;
		s->search.nodes.items[path[depth]] = answer;
	}
	return answer == YES;
}

static bool thread_matches(struct selection *s, uint32_t thread)
{
	struct search *search = &s->search;

	if (thread >= search->threads.count)
		vector_resize(&search->threads, s->heap->threads.count);
	if (search->threads.items[thread] == ASK) {
		uint32_t name = s->heap->threads.items[thread].name;

		search->threads.items[thread] =
			text_holds(intern_text(s->heap->modules.strings, name, NULL), search->text) ? YES : NO;
	}
	return search->threads.items[thread] == YES;
}

static bool op_matches(struct selection *s, uint8_t op)
{
	if (s->search.ops[op] == ASK)
		s->search.ops[op] = text_holds(op_label(op), s->search.text) ? YES : NO;
	return s->search.ops[op] == YES;
}

static bool pointer_matches(const struct search *search, uint64_t ptr)
{
	char text[19], *p = text + sizeof(text) - 1;

	*p = '\0';
	do
		*--p = "0123456789abcdef"[ptr & 15];
	while (ptr >>= 4);
	*--p = 'x';
	*--p = '0';
	return strstr(p, search->text) != NULL;
}

static bool search_matches(struct selection *s, const struct record *r)
{
	return op_matches(s, record_op(r)) || thread_matches(s, r->thread) ||
	       stack_matches(s, r->stack) || stack_matches(s, r->free_stack) ||
	       (s->search.hex && pointer_matches(&s->search, r->ptr & RECORD_LOW));
}

static uint8_t mark_of(struct heap *heap, const struct record *r)
{
	switch (record_state(r)) {
	case RECORD_LIVE:
		if (!thread_leaks(heap, r->thread))
			return MARK_ACTIVE;
		return site_is_runtime(heap, record_site(heap, r)) ? MARK_RUNTIME : MARK_LEAKED;
	case RECORD_SPLIT:
		return 0;
	default:
		return MARK_FREED;
	}
}

static bool state_matches(enum select_state state, uint8_t mark)
{
	static const uint8_t wanted[] = {
		[SELECT_ALL] = MARK_ACTIVE | MARK_FREED | MARK_LEAKED | MARK_RUNTIME,
		[SELECT_LEAKS] = MARK_LEAKED,
		[SELECT_ACTIVE] = MARK_ACTIVE | MARK_RUNTIME, [SELECT_FREED] = MARK_FREED,
	};

	return wanted[state] & mark;
}

static bool times_match(const struct selection *s, const struct record *r, uint8_t mark)
{
	const struct select_filter *f = &s->filter;
	uint64_t born, died;

	if (!f->min_age_ns && !f->delta && !f->range)
		return true;
	born = heap_ns(s->heap, r->alloc_stamp);
	if (f->delta && born <= f->delta_ns)
		return false;
	if (f->range && (born < f->range_from_ns || born > f->range_to_ns))
		return false;
	if (!f->min_age_ns)
		return true;
	died = heap_ns(s->heap, mark == MARK_FREED ? r->free_stamp : s->heap->now);
	return died >= born && died - born >= f->min_age_ns;
}

uint8_t match_record(struct selection *s, const struct record *r)
{
	const struct select_filter *f = &s->filter;
	uint8_t mark = mark_of(s->heap, r);

	if (!state_matches(f->state, mark))
		return 0;
	if (f->thread != HEAP_NONE && f->thread != r->thread)
		return 0;
	if (f->site != HEAP_NONE && f->site != record_site(s->heap, r))
		return 0;
	if (!times_match(s, r, mark))
		return 0;
	if (f->hide_runtime && site_is_runtime(s->heap, record_site(s->heap, r)))
		return 0;
	if (s->search.text && !search_matches(s, r))
		return 0;
	return MARK_IN | mark |
	       (mark == MARK_FREED && record_flags(r) & RECORD_TEMPORARY ? MARK_TEMPORARY : 0);
}
