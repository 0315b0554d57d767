/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree of stacks. */
#include "model/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define PAGE_IDS	4096u

void stack_table_init(struct stack_table *t)
{
	memset(t, 0, sizeof(*t));
	map_init(&t->node_ids);
	map_init(&t->place_ids);
	map_init(&t->raw_places);
	map_init(&t->text_places);
	vector_resize(&t->nodes, STACK_FIRST);
	vector_resize(&t->places, 1);
}

void stack_table_release(struct stack_table *t)
{
	vector_release(&t->nodes);
	vector_release(&t->places);
	map_release(&t->node_ids);
	map_release(&t->place_ids);
	map_release(&t->raw_places);
	map_release(&t->text_places);
	for (size_t i = 0; i < t->page_count; i++)
		free(t->pages[i]);
	free(t->pages);
}

uint32_t stack_table_node(struct stack_table *t, uint32_t parent, uint32_t place)
{
	bool created;
	uint64_t *id = map_place(&t->node_ids, (uint64_t)parent << 32 | place, &created);

	if (created) {
		struct stack_node node = { parent, place };

		*id = t->nodes.count;
		vector_push(&t->nodes, node);
	}
	return (uint32_t)*id;
}

/* Every id of a page that was not defined means an unknown stack. */
static uint32_t *page_make(struct stack_table *t, size_t page)
{
	if (page >= t->page_count) {
		t->pages = xreallocarray(t->pages, page + 1, sizeof(*t->pages));
		memset(t->pages + t->page_count, 0, (page + 1 - t->page_count) * sizeof(*t->pages));
		t->page_count = page + 1;
	}
	if (!t->pages[page]) {
		t->pages[page] = xmalloc(PAGE_IDS * sizeof(**t->pages));
		for (size_t i = 0; i < PAGE_IDS; i++)
			t->pages[page][i] = STACK_UNKNOWN;
	}
	return t->pages[page];
}

static uint32_t place_add(struct stack_table *t, const struct stack_place *place)
{
	uint64_t key = (uint64_t)place->exact << 63 | (uint64_t)place->module << 48 |
		       (place->address & 0xffffffffffffull);
	bool created;
	uint64_t *index = map_place(&t->place_ids, key, &created);

	if (created) {
		*index = t->places.count;
		vector_push(&t->places, *place);
	}
	return (uint32_t)*index;
}

static uint32_t place_of(struct stack_table *t, struct modules *m, const struct trace_stack_node *node)
{
	struct stack_place place = {
		.pc = node->frame & 0xffffffffffffull,
		.epoch = (uint16_t)(node->frame >> 48),
		.exact = node->flags & 1,
	};
	uint64_t raw = node->frame | (uint64_t)place.exact << 47;
	uint64_t index;

	if (map_get(&t->raw_places, raw, &index))
		return (uint32_t)index;
	/* A return address may be one past the end of its module's text. */
	place.module = modules_find(m, place.exact ? place.pc : place.pc - 1, place.epoch);
	place.address = place.pc;
	if (place.module)
		place.address -= modules_at(m, place.module)->bias;
	index = place_add(t, &place);
	map_put(&t->raw_places, raw, index);
	return (uint32_t)index;
}

void stack_table_define(struct stack_table *t, struct modules *m, const struct trace_stack_node *node)
{
	uint32_t parent = stack_table_id(t, node->parent);

	if (node->id < STACK_FIRST)
		return;
	page_make(t, node->id >> 12)[node->id & (PAGE_IDS - 1)] =
		stack_table_node(t, parent, place_of(t, m, node));
}

void stack_table_modules_changed(struct stack_table *t)
{
	map_clear(&t->raw_places);
}

uint32_t stack_table_text(struct stack_table *t, uint32_t text, bool *created)
{
	uint64_t *index = map_place(&t->text_places, text, created);

	if (*created) {
		struct stack_place place = { .text = text };

		*index = t->places.count;
		vector_push(&t->places, place);
	}
	return (uint32_t)*index;
}
