/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stack ids into frames. */
#include "model/stacks.h"

#include <string.h>

#include "model/library.h"
#include "model/select_state.h"
#include "symbols/demangle.h"
#include "trace/channel.h"

/* The readable form is made once; names that are not mangled stay as they are. */
const char *stack_demangle(const struct heap *heap, const char *name)
{
	struct intern *strings = heap->modules.strings;
	struct map *known = (struct map *)&heap->demangled; /* a cache: not part of the state */
	char readable[DEMANGLE_OUTPUT_MAX + 1];
	uint64_t id;
	uint32_t raw;

	if (!name || !demangle_wanted(name))
		return name;
	raw = intern_put_string(strings, name);
	if (!map_get(known, raw, &id)) {
		id = demangle(name, readable, sizeof(readable)) ? intern_put_string(strings, readable) : raw;
		map_put(known, raw, id);
	}
	return intern_text(strings, (uint32_t)id, NULL);
}

static void text_frame(const struct heap *heap, const struct stack_place *place, struct stack_frame *out)
{
	const struct intern *strings = heap->modules.strings;

	*out = (struct stack_frame){ .pc = place->pc };
	if (place->module)
		out->module = intern_text(strings, place->module, NULL);
	if (place->function) {
		out->function = stack_demangle(heap, intern_text(strings, place->function, NULL));
		out->function_offset = place->address;
	} else {
		out->module_offset = place->address;
	}
}

/* The module of a place may have become known after its stacks. */
static uint32_t place_module(const struct heap *heap, const struct stack_place *place)
{
	struct modules *m = (struct modules *)&heap->modules; /* only remembers what was found */

	if (place->module)
		return place->module;
	return modules_find(m, place->exact ? place->pc : place->pc - 1, place->epoch);
}

static const struct symbol *place_symbol(const struct heap *heap, const struct stack_place *place,
	uint32_t module, uint64_t address)
{
	const struct symbol *symbol = modules_symbol(&heap->modules, module,
						     place->exact ? address : address - 1);

	return symbol ? symbol : modules_symbol(&heap->modules, module, address);
}

/* The frames of one place, at most max of them into out; returns how many there are. */
static size_t place_frames(const struct heap *heap, const struct stack_place *place,
	struct stack_frame *out, size_t max)
{
	uint32_t number = place_module(heap, place);
	const struct module *module = modules_at(&heap->modules, number);
	uint64_t address = module ? place->pc - module->bias : place->pc;
	const struct symbol *symbol = place_symbol(heap, place, number, address);
	size_t count = symbol && symbol->count ? symbol->count : 1;

	for (size_t i = 0; i < count && i < max; i++) {
		struct stack_frame *frame = &out[i];

		*frame = (struct stack_frame){ .pc = place->pc, .module_offset = address };
		if (module)
			frame->module = intern_text(heap->modules.strings, module->path, NULL);
		if (symbol && symbol->count) {
			const struct trace_symbol_frame *s = &heap->modules.frames.items[symbol->first + i];

			frame->function = stack_demangle(heap, modules_text(&heap->modules, s->function));
			frame->file = modules_text(&heap->modules, s->file);
			frame->line = s->line;
			frame->function_offset = symbol->offset;
			frame->inlined = i + 1 < count;
		}
	}
	return count;
}

/* The frames of a place of either kind. */
size_t stack_place_frames(const struct heap *heap, uint32_t index, struct stack_frame *out, size_t max)
{
	const struct stack_place *place = &heap->stacks.places.items[index];

	if (!place->text)
		return place_frames(heap, place, out, max);
	if (max)
		text_frame(heap, place, out);
	return 1;
}

bool stack_place_matches(const struct heap *heap, uint32_t index, const char *text)
{
	struct stack_frame frames[TRACE_INLINE_MAX];
	size_t count = stack_place_frames(heap, index, frames, TRACE_INLINE_MAX);

	for (size_t i = 0; i < count && i < TRACE_INLINE_MAX; i++)
		if (stack_frame_matches(&frames[i], text))
			return true;
	return false;
}

size_t stack_frames(const struct heap *heap, uint32_t stack, struct stack_frame *out, size_t max)
{
	size_t count = 0;

	while (stack >= STACK_FIRST && stack < heap->stacks.nodes.count) {
		const struct stack_node *node = &heap->stacks.nodes.items[stack];

		count += stack_place_frames(heap, node->frame, count < max ? out + count : NULL,
				       count < max ? max - count : 0);
		stack = node->parent;
	}
	return count;
}

const char *stack_cut_reason(const struct heap *heap, uint32_t stack)
{
	while (stack >= STACK_FIRST && stack < heap->stacks.nodes.count)
		stack = heap->stacks.nodes.items[stack].parent;
	switch (stack) {
	case STACK_CUT_DEPTH:
		return "deeper than the limit of frames";
	case STACK_CUT_UNREADABLE:
		return "the stack's memory could not be read further";
	case STACK_CUT_UNKNOWN:
		return "no way to unwind further (generated code?)";
	case STACK_DEPOT_FULL:
		return "the table of stacks was full";
	default:
		return NULL;
	}
}

uint64_t stack_symbols_generation(const struct heap *heap)
{
	return heap->modules.generation;
}

static enum place_role frame_role(const struct stack_frame *frame)
{
	if ((frame->module && stack_in_runtime(frame->module)) ||
	    (frame->function && library_function(frame->function)))
		return PLACE_LIBRARY;
	return frame->function && library_wrapper(frame->function) ? PLACE_WRAPPER : PLACE_USER;
}

/* Of the program when any function inlined there is, else what the outermost is. */
enum place_role stack_place_role(const struct heap *heap, uint32_t index)
{
	struct stack_frame frames[TRACE_INLINE_MAX];
	size_t count = stack_place_frames(heap, index, frames, TRACE_INLINE_MAX);
	enum place_role role = PLACE_LIBRARY;

	for (size_t i = 0; i < count && i < TRACE_INLINE_MAX; i++) {
		role = frame_role(&frames[i]);
		if (role == PLACE_USER)
			break;
	}
	return role;
}

const char *stack_place_function(const struct heap *heap, uint32_t index)
{
	struct stack_frame frames[TRACE_INLINE_MAX];
	size_t count = stack_place_frames(heap, index, frames, TRACE_INLINE_MAX);

	return frames[count > TRACE_INLINE_MAX ? TRACE_INLINE_MAX - 1 : count - 1].function;
}

size_t stack_frames_before(const struct heap *heap, uint32_t stack, uint32_t node)
{
	size_t count = 0;

	for (; stack >= STACK_FIRST && stack != node; stack = heap->stacks.nodes.items[stack].parent)
		count += stack_place_frames(heap, heap->stacks.nodes.items[stack].frame, NULL, 0);
	return count;
}

uint32_t stack_first_user_node(const struct heap *heap, uint32_t stack, uint32_t *part)
{
	struct heap *learning = (struct heap *)heap; /* what names and use tell is kept, no more */
	struct stack_frame frames[TRACE_INLINE_MAX];
	uint32_t node;
	size_t count;

	*part = 0;
	if (stack == HEAP_NONE || stack < STACK_FIRST || stack >= heap->stacks.nodes.count)
		return 0;
	wrappers_follow(learning);
	node = wrappers_caller(learning, stack);
	count = stack_place_frames(heap, heap->stacks.nodes.items[node].frame, frames, TRACE_INLINE_MAX);
	for (uint32_t i = 0; i < count && i < TRACE_INLINE_MAX; i++) {
		if (frame_role(&frames[i]) == PLACE_USER) {
			*part = i;
			break;
		}
	}
	return node;
}

int stack_first_user_frame(const struct heap *heap, uint32_t stack)
{
	uint32_t part, node = stack_first_user_node(heap, stack, &part);

	return node ? (int)(stack_frames_before(heap, stack, node) + part) : -1;
}
