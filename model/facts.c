/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts, notes, children, modules of the run. */
#include <string.h>

#include "model/heap.h"
#include "model/state.h"

static const char *text_of(const struct heap *heap, uint32_t id)
{
	return intern_text(heap->modules.strings, id, NULL);
}

const char *heap_fact(const struct heap *heap, const char *key)
{
	for (size_t i = 0; i < heap->facts.count; i++)
		if (!strcmp(text_of(heap, heap->facts.items[i].key), key))
			return text_of(heap, heap->facts.items[i].value);
	return NULL;
}

/* Of a key that is known here by its text. */
static struct fact *find_fact(struct heap *heap, uint32_t key)
{
	for (size_t i = 0; i < heap->facts.count; i++)
		if (heap->facts.items[i].key == key)
			return &heap->facts.items[i];
	return NULL;
}

void heap_put_fact(struct heap *heap, uint32_t key, uint32_t value)
{
	struct fact *known = find_fact(heap, key);

	if (known)
		known->value = value;
	else if (heap->facts.count < FACTS_MAX)
		vector_push(&heap->facts, ((struct fact){ key, value }));
}

void heap_set_fact(struct heap *heap, const char *key, const char *value, size_t length)
{
	struct intern *strings = heap->modules.strings;

	heap_put_fact(heap, intern_put(strings, key, strlen(key)), intern_put(strings, length ? value : "", length));
	heap->generation++;
}

size_t heap_fact_count(const struct heap *heap)
{
	return heap->facts.count;
}

const char *heap_fact_at(const struct heap *heap, size_t index, const char **value)
{
	const struct fact *fact = &heap->facts.items[index];

	if (value)
		*value = text_of(heap, fact->value);
	return text_of(heap, fact->key);
}

size_t heap_note_count(const struct heap *heap)
{
	return heap->notes.count;
}

const char *heap_note_at(const struct heap *heap, size_t index)
{
	return text_of(heap, heap->notes.items[index]);
}

size_t heap_child_count(const struct heap *heap)
{
	return heap->children.count;
}

const char *heap_child_at(const struct heap *heap, size_t index, uint32_t *pid, const char **reason)
{
	const struct child *child = &heap->children.items[index];

	if (pid)
		*pid = child->pid;
	if (reason)
		*reason = text_of(heap, child->reason);
	return text_of(heap, child->name);
}

size_t heap_relative_count(const struct heap *heap)
{
	return heap->relatives.count;
}

size_t heap_module_count(const struct heap *heap)
{
	return heap->modules.items.count;
}

void heap_module_at(const struct heap *heap, size_t index, struct heap_module *out)
{
	const struct module *module = &heap->modules.items.items[index];

	*out = (struct heap_module){
		.path = text_of(heap, module->path),
		.start = module->start, .end = module->end,
		.load_ns = heap_ns(heap, module->stamp), .unloaded = module->unloaded,
	};
}

const char *heap_op_label(uint8_t op)
{
	return op_label(op);
}
